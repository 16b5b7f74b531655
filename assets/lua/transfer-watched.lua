-- What a transaction does that moves entries of a Redisson queue to its target, for a client that
-- watches timeouts and order list: what it has read of them still stands.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 where the entries begin in timeouts, from 0
--          2 how many elements leave the head of the order list: as many as there are payloads; 0
--            where none of them stands there, since it is set aside
--          then their payloads, at most 4,000
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1}                done
--
-- Nothing here depends on anything but the arguments and the keys. The RPUSH comes first: a server
-- that is full, a replica or may not write refuses it, and then nothing was done. Parts: guard.

local needed = {{'RPUSH', KEYS[1]}, {'LTRIM', KEYS[3]}, {'ZREMRANGEBYRANK', KEYS[2]}}
local refusal = guard({'list', 'zset', 'list'}, needed)
if refusal then return refusal end

local first, n = tonumber(ARGV[1]), #ARGV - 2
redis.call('RPUSH', KEYS[1], unpack(ARGV, 3))
if ARGV[2] ~= '0' then
  redis.call('LTRIM', KEYS[3], ARGV[2], -1)
end
redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + n - 1)
return {1}
