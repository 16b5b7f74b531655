-- What a transaction does that moves entries of a Redisson queue to its target, for a client that
-- watches timeouts and order list: what it has read of them still stands.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 where the entries begin in timeouts, from 0
--          2 how many elements leave the head of the order list: as many as there are payloads; 0
--            where none of them stands there, since it is set aside
--          3 the first of their members   4 the last
--          then their payloads, at most 4,000
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1}                done
--          {2}                others stand there; nothing was done
--
-- The two members are looked at since a server up to 6.0 does not count SWAPDB as a touch of what a
-- client watches: the keys are those of another database then.
-- Nothing here depends on anything but the arguments and the keys. The RPUSH comes first: a server
-- that is full, a replica or may not write refuses it, and then nothing was done. Parts: guard.

local needed = {
  {'ZRANGE', KEYS[2]}, {'RPUSH', KEYS[1]}, {'LTRIM', KEYS[3]}, {'ZREMRANGEBYRANK', KEYS[2]},
}
local refusal = guard({'list', 'zset', 'list'}, needed)
if refusal then return refusal end

local first, n = tonumber(ARGV[1]), #ARGV - 4
for at, member in pairs({[first] = ARGV[3], [first + n - 1] = ARGV[4]}) do
  if redis.call('ZRANGE', KEYS[2], at, at)[1] ~= member then return {2} end
end
redis.call('RPUSH', KEYS[1], unpack(ARGV, 5))
if ARGV[2] ~= '0' then
  redis.call('LTRIM', KEYS[3], ARGV[2], -1)
end
redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + n - 1)
return {1}
