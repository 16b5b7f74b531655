-- Lets the head of the order list go round to its tail, and takes chosen entries out of it and of
-- timeouts on the way: for good, or into quarantine. Called slice after slice until the list has
-- gone round once.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 quarantine (sorted set): only where
--          what leaves timeouts goes there
-- ARGV     1 n: so many elements go round, 0 to 2,000
--          2 what is to be done with each of the members that follow, 9 bytes each: a kind, and the
--            score that the member must have (double, little-endian). Kinds:
--              0  it leaves, when it stands among the n and has that score
--              1  it stands nowhere in the order list: it leaves timeouts, when it has that score
--              2  each of its copies among the n leaves the order list, unless timeouts holds it
--              3  as 0, or, when timeouts does not hold it, as 2: a script whose answer never came
--                 may have taken it out of timeouts
--              4 to 255  when it has that score, at most kind - 3 of its copies among the n leave the
--                 order list, and it stays in timeouts: others of its copies stand behind them
--          then the members, at most 3,900
-- returns  {0, k, type}                 KEYS[k] holds a `type`; nothing was done
--          {1, went, last, {i, what, how}}   so many went round; the last of them that stays (empty:
--            none does); then, flat, for each member that stands among them (and each of kind 1): its
--            number i (from 1), what:
--              1  it left; how: the element it stood behind that stays; empty: none of the n
--              2  it is not in timeouts (of kind 2: it is, and stays); how: empty
--              3  it has another score; how: that score
--              4  so many of its copies left, after one of these beyond the first; how: their number
--              5  an equal member is in quarantine with another score, and it stays; how: empty
--
-- Depends on nothing but the arguments and the keys. What is removed comes last; a full server lets it
-- pass (see go_round), or else nobody could delete there. What goes into quarantine comes first, by
-- ZADD, which a full server refuses: then nothing was done. Parts: guard, round.

local quarantine = KEYS[3]
local needed = {
  {'ZSCORE', KEYS[1]}, {'ZSCORE', quarantine or KEYS[1]}, {'LRANGE', KEYS[2]}, {'LLEN', KEYS[2]},
  {quarantine and 'ZADD' or 'LTRIM', quarantine or KEYS[2]},
  {'LTRIM', KEYS[2]}, {'RPUSH', KEYS[2]}, {'ZREM', KEYS[1]},
}
local refusal = guard({'zset', 'list', quarantine and 'zset'}, needed)
if refusal then return refusal end

local told, removed, kept_aside = {}, {}, {}
local function tell(i, what, how)
  local n = #told
  told[n + 1], told[n + 2], told[n + 3] = i, what, how
end

-- Whether member number i leaves, of whatever kind; tells why not.
local function leaves(i, kind, score)
  local has = redis.call('ZSCORE', KEYS[1], ARGV[i + 2])
  local kept = quarantine and redis.call('ZSCORE', quarantine, ARGV[i + 2])
  if kind == 2 then
    if has then tell(i, 2, '') end
    return not has
  end
  if not has then
    tell(i, 2, '')
    return kind == 3 and 'copies'
  elseif tonumber(has) ~= score then
    tell(i, 3, has)
  elseif kept and tonumber(kept) ~= score then
    tell(i, 5, '')
  elseif kind > 3 then
    return 'copies'
  else
    removed[#removed + 1] = ARGV[i + 2]
    kept_aside[2 * #removed - 1], kept_aside[2 * #removed] = has, ARGV[i + 2]
    return true
  end
  return false
end

local n = math.min(tonumber(ARGV[1]), 2000)
local slice = n > 0 and redis.call('LRANGE', KEYS[2], 0, n - 1) or {}
local chosen, kinds, scores = {}, {}, {}
for i = 1, #ARGV - 2 do
  kinds[i], scores[i] = struct.unpack('<Bd', ARGV[2], 9 * i - 8)
  if kinds[i] == 1 then
    if leaves(i, 1, scores[i]) then tell(i, 1, '') end
  else
    chosen[ARGV[i + 2]] = i
  end
end

local kept, k = {}, 0
local left, more = {}, {}
for _, element in ipairs(slice) do
  local i = chosen[element]
  if i and left[i] == nil then
    left[i] = leaves(i, kinds[i], scores[i])
    if left[i] == true then tell(i, 1, kept[k] or '') end
    more[i] = left[i] == true and -1 or 0
  end
  if not i or not left[i] or kinds[i] > 3 and more[i] >= kinds[i] - 3 then
    k = k + 1
    kept[k] = element
  else
    more[i] = more[i] + 1
  end
end
for i, copies in pairs(more) do
  if copies > 0 then tell(i, 4, copies) end
end
-- What `unpack` takes at once has an end near 8,000.
for first = 1, quarantine and #kept_aside or 0, 2000 do
  redis.call('ZADD', quarantine, unpack(kept_aside, first, math.min(first + 1999, #kept_aside)))
end
refusal = go_round(KEYS[2], #slice, kept, k, false)
if refusal then return refusal end
for first = 1, #removed, 2000 do
  redis.call('ZREM', KEYS[1], unpack(removed, first, math.min(first + 1999, #removed)))
end
return {1, #slice, kept[k] or '', told}
