-- Delivers chosen entries of a `zset-list` queue, due or not, in the order given.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)
-- ARGV     1 `LPUSH` or `RPUSH`: to the end of target that takes them
--          then, for each entry: its score (decimal text), its message. At most 950 entries.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each entry: done, gone or its other score (see chosen)
--
-- Depends on nothing but the arguments and the keys. The push comes first: a server that takes no
-- writes refuses it before anything was done. Parts: guard, chosen.

local needed = {{'ZSCORE', KEYS[2]}, {ARGV[1], KEYS[1]}, {'ZREM', KEYS[2]}}
local refusal = guard({'list', 'zset'}, needed)
if refusal then return refusal end

local members, fates, taken = {}, {}, {}
for i = 2, #ARGV, 2 do
  local m = ARGV[i + 1]
  -- Nothing is removed before all are looked at: the same entry twice would go to target twice.
  local fate = taken[m] and gone or otherwise(KEYS[2], m, ARGV[i])
  if not fate then
    members[#members + 1] = m
    taken[m] = true
    fate = done
  end
  fates[i / 2] = fate
end
if #members > 0 then
  redis.call(ARGV[1], KEYS[1], unpack(members))
  redis.call('ZREM', KEYS[2], unpack(members))
end
return {1, fates}
