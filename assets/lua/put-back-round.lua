-- Puts deleted entries back: into timeouts with their scores, and right behind their old neighbours
-- while the head of the order list goes round to its tail. (Few of them: put-back.lua.) The same with
-- entries in quarantine (few of them: restore.lua).
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 its name while it is aside (list)
--          4 quarantine (sorted set): only where they come out of it
-- ARGV     1 n: so many elements go round, 0 to 2,000
--          then, for each entry: where it stood, its score (decimal text), its member. At most 1,300
--          entries, those with the same neighbour in their order. Where:
--            h         at the head (of a list that goes round: before the n)
--            t         at the tail, behind the n
--            b and an element   behind that element, when it is one of the n (n = 0: wherever it is)
-- returns  {0, k, type}           KEYS[k] holds a `type`; nothing was done
--          {1, went, {what, ...}}
--            went     so many elements went round
--            what     of each entry: empty, it was put back; `-`, nothing was done, since no such
--                     neighbour is there; else the score of an equal one that waits already
--          or an error ASIDE: see is_aside
--
-- Depends on nothing but the arguments and the keys. The first write is one that a full server
-- refuses, and then nothing was done. Parts: guard, aside.

local quarantine = KEYS[4]
local needed = {
  {'EXISTS', KEYS[3]}, {'ZSCORE', KEYS[1]}, {'LRANGE', KEYS[2]},
  {'ZADD', KEYS[1]}, {'RPUSH', KEYS[2]}, {'LPUSH', KEYS[2]}, {'LINSERT', KEYS[2]},
  {'LTRIM', KEYS[2]}, quarantine and {'ZSCORE', quarantine}, quarantine and {'ZREM', quarantine},
}
local spare = not quarantine and 1
local refusal = guard({'zset', 'list', 'list', quarantine and 'zset'}, needed, spare) or is_aside(KEYS[3])
if refusal then return refusal end

local what = {}
-- Whether entry i may come: always, where none comes out of quarantine. Tells why not.
local function comes(i)
  local has = not quarantine or redis.call('ZSCORE', quarantine, ARGV[3 * i + 1])
  if not has then
    what[i] = '?'
  elseif has ~= true and tonumber(has) ~= tonumber(ARGV[3 * i]) then
    what[i] = '=' .. has
  else
    return true
  end
  return false
end

-- Entry i is in timeouts, with that score: by our doing, or it was before.
local function is_there(i, has)
  what[i] = has
  if quarantine and (has == '' or tonumber(has) == tonumber(ARGV[3 * i])) then
    redis.call('ZREM', quarantine, ARGV[3 * i + 1])
    what[i] = ''
  end
end

-- Whether entry i is in timeouts now by our doing.
local function add(i)
  if not comes(i) then return false end
  local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[3 * i], ARGV[3 * i + 1]) == 1
  is_there(i, added and '' or redis.call('ZSCORE', KEYS[1], ARGV[3 * i + 1]))
  return added
end

local n, count = math.min(tonumber(ARGV[1]), 2000), (#ARGV - 1) / 3
local slice = n > 0 and redis.call('LRANGE', KEYS[2], 0, n - 1) or {}
local behind, neighbours, heads, tails = {}, {}, {}, {}
for i = 1, count do
  local where = ARGV[3 * i - 1]
  local kind = string.sub(where, 1, 1)
  if kind == 'h' then
    heads[#heads + 1] = i
  elseif kind == 't' then
    tails[#tails + 1] = i
  else
    local neighbour = string.sub(where, 2)
    if not behind[neighbour] then
      behind[neighbour] = {}
      neighbours[#neighbours + 1] = neighbour
    end
    table.insert(behind[neighbour], i)
  end
  what[i] = '-'
end

if n == 0 then
  -- From the last to the first, each right behind the neighbour, so that they stand in their order.
  for _, neighbour in ipairs(neighbours) do
    local group = behind[neighbour]
    for at = #group, 1, -1 do
      local i = group[at]
      local has = redis.call('ZSCORE', KEYS[1], ARGV[3 * i + 1])
      if has and comes(i) then
        is_there(i, has)
      elseif not has and comes(i) and redis.call('LINSERT', KEYS[2], 'AFTER', neighbour, ARGV[3 * i + 1]) > 0 then
        add(i)
      end
    end
  end
  for at = #heads, 1, -1 do
    if add(heads[at]) then redis.call('LPUSH', KEYS[2], ARGV[3 * heads[at] + 1]) end
  end
  for _, i in ipairs(tails) do
    if add(i) then redis.call('RPUSH', KEYS[2], ARGV[3 * i + 1]) end
  end
  return {1, 0, what}
end

local round, k = {}, 0
local function put(group)
  for _, i in ipairs(group) do
    if add(i) then
      k = k + 1
      round[k] = ARGV[3 * i + 1]
    end
  end
end
put(heads)
for _, element in ipairs(slice) do
  k = k + 1
  round[k] = element
  if behind[element] then
    put(behind[element])
    behind[element] = nil
  end
end
put(tails)
-- What `unpack` takes at once has an end near 8,000.
for first = 1, k, 2000 do
  redis.call('RPUSH', KEYS[2], unpack(round, first, math.min(first + 1999, k)))
end
redis.call('LTRIM', KEYS[2], #slice, -1)
return {1, #slice, what}
