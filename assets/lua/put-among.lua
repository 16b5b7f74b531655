-- Puts deleted elements back into target, each behind the element behind which it stood.
--
-- KEYS     1 target (list)   2 timeouts (sorted set): looked at, or made for a moment (see guard)
-- ARGV     1 `-1` or `1`: at its tail or its head new elements come
--          then, for each: the element, `next`, `behind` or `newest`, and of `behind` the element
--          behind which it stood, as consumers take, and the how manieth of its equals that is,
--          counted from the end where new ones come (else two empty words). At most 950.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each element: done (see chosen)
--
-- Where a consumer takes next comes also what stood behind an element that is not there any more: that
-- was taken, and all that stood before it. Where new ones come, what nobody can look for.
--
-- Nothing here depends on anything but the arguments and the keys. A full server refuses the first
-- write, and then nothing was done. LINSERT finds the first of equal elements: where another one is
-- meant, that has other bytes for this moment. Parts: guard, chosen, standing.

local target, from = KEYS[1], tonumber(ARGV[1])
local refusal = guard({'list', 'zset'}, {
  {'LLEN', target}, {'LRANGE', target}, {'LSET', target}, {'LINSERT', target},
  {'ZADD', KEYS[2]}, {'LPUSH', target}, {'RPUSH', target},
}, 2)
if refusal then return refusal end

local newest, next_taken, behind = 'LPUSH', 'RPUSH', 'BEFORE'
if from < 0 then
  newest, next_taken, behind = 'RPUSH', 'LPUSH', 'AFTER'
end

local fates = {}
for i = 2, #ARGV, 4 do
  local m, place, neighbour = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local at = place == 'behind' and nth(target, neighbour, tonumber(ARGV[i + 3]), from)
  if at and nth(target, neighbour, 1, 1) == at then
    redis.call('LINSERT', target, behind, neighbour, m)
  elseif at then
    local other = redis.sha1hex(neighbour .. m)
    redis.call('LSET', target, at, other)
    redis.call('LINSERT', target, behind, other, m)
    redis.call('LSET', target, from < 0 and at or at + 1, neighbour)
  elseif place == 'next' or at == nil then
    redis.call(next_taken, target, m)
  else
    redis.call(newest, target, m)
  end
  fates[#fates + 1] = done
end
return {1, fates}
