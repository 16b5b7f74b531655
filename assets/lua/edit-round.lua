-- Gives waiting entries other bytes while the head of the order list goes round to its tail; each keeps
-- its score, and the new member stands where the old one stood. Called slice after slice until the list
-- has gone round once. (Few of them: edit.lua.)
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 its name while it is aside (list)
-- ARGV     1 n: so many elements go round, 0 to 2,000
--          2 what is to be done with each of the entries that follow, 9 bytes each: a kind, and the
--            score that the entry must have (double, little-endian). Kinds:
--              0  it gets its new bytes, when it stands among the n and has that score
--              1  it stands nowhere in the order list: the same, in timeouts alone
--              2  it was given them: each of its copies among the n leaves the order list, unless it
--                 waits again
--              3  as 0, or, when it does not wait, as 2: a script whose answer never came may have
--                 given them to it
--              4 to 255  when it has that score, at most kind - 3 of its copies among the n leave the
--                 order list, and it keeps its bytes: others of its copies stand behind them
--          then, for each: its member, its new member (of kinds 2 and 4 to 255: empty). At most 2,300
--          entries
-- returns  {0, k, type}                 KEYS[k] holds a `type`; nothing was done
--          {1, went, '', {i, what, how}}   so many went round; then, flat, for each entry that stands
--            among them (and each of kind 1): its number i (from 1), what:
--              1  it has its new bytes (of kind 2: copies left); how: empty
--              2  it does not wait (of kind 2: it does, and stays); how: empty
--              3  it has another score; how: that score
--              4  so many of its copies left, after one of these beyond the first; how: their number
--              5  nothing was done, since the new member waits already, which this would swallow; how:
--                 empty
--          or an error ASIDE: see is_aside
--
-- Depends on nothing but the arguments and the keys. An entry that is changed begins with ZADD, which a
-- full server refuses: then nothing was done. Where none is, such a server lets the list go round (see
-- go_round). The score goes from ZSCORE to ZADD as the text that it is. The new member takes the place
-- of the first copy of the old one among the n; the others leave, or they would be handed out with the
-- old bytes.
-- Parts: guard, aside, round.

-- The list goes round slice after slice, and the first may hold none of the entries: what they take
-- is asked for all the same.
local entries = #ARGV / 2 - 1
local needed = {
  {'EXISTS', KEYS[3]}, {'ZSCORE', KEYS[1]}, {'LRANGE', KEYS[2]}, {'LLEN', KEYS[2]},
  {entries > 0 and 'ZADD' or 'LTRIM', entries > 0 and KEYS[1] or KEYS[2]},
  {'LTRIM', KEYS[2]}, {'RPUSH', KEYS[2]}, {'ZREM', KEYS[1]}, {'ZADD', KEYS[1]},
}
local refusal = guard({'zset', 'list', 'list'}, needed) or is_aside(KEYS[3])
if refusal then return refusal end

local told = {}
local function tell(i, what, how)
  local n = #told
  told[n + 1], told[n + 2], told[n + 3] = i, what, how
end

-- What becomes of the elements of the list that are entry i, of whatever kind: the first of them
-- gets its new bytes (`new`), all of them leave (`none`), or they stay (nil). Tells it.
local function becomes(i, kind, score)
  local m, new = ARGV[2 * i + 1], ARGV[2 * i + 2]
  local has = redis.call('ZSCORE', KEYS[1], m)
  if kind == 2 then
    tell(i, has and 2 or 1, '')
    return not has and 'none' or nil
  elseif not has then
    local given = kind == 3 and redis.call('ZSCORE', KEYS[1], new)
    tell(i, given and 1 or 2, '')
    return kind == 3 and 'none' or nil
  elseif tonumber(has) ~= score then
    tell(i, 3, has)
  elseif kind > 3 then
    return 'none'
  elseif redis.call('ZADD', KEYS[1], 'NX', has, new) == 0 then
    tell(i, 5, '')
  else
    redis.call('ZREM', KEYS[1], m)
    tell(i, 1, '')
    return 'new'
  end
  return nil
end

local n = math.min(tonumber(ARGV[1]), 2000)
local slice = n > 0 and redis.call('LRANGE', KEYS[2], 0, n - 1) or {}
local chosen, kinds, scores = {}, {}, {}
for i = 1, entries do
  kinds[i], scores[i] = struct.unpack('<Bd', ARGV[2], 9 * i - 8)
  if kinds[i] == 1 then
    becomes(i, 1, scores[i])
  else
    chosen[ARGV[2 * i + 1]] = i
  end
end

local kept, k, changed = {}, 0, false
local met, fate, more = {}, {}, {}
for _, element in ipairs(slice) do
  local i = chosen[element]
  local first = i and not met[i]
  if first then
    met[i] = true
    fate[i] = becomes(i, kinds[i], scores[i])
    -- Of copies that leave after an entry was given its bytes the first one is told by that alone.
    more[i] = fate[i] and kinds[i] == 2 and -1 or 0
  end
  if not i or not fate[i] or kinds[i] > 3 and more[i] >= kinds[i] - 3 then
    k = k + 1
    kept[k] = element
  elseif first and fate[i] == 'new' then
    k = k + 1
    kept[k], changed = ARGV[2 * i + 2], true
  else
    more[i] = more[i] + 1
  end
end
for i, copies in pairs(more) do
  if copies > 0 then tell(i, 4, copies) end
end
refusal = go_round(KEYS[2], #slice, kept, k, changed)
if refusal then return refusal end
return {1, #slice, '', told}
