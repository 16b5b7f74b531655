-- What a transaction does that moves entries of a Redisson queue to its target, for a client that
-- watches timeouts and order list: what it has read of them still stands.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 where the entries begin in timeouts, from 0
--          then their payloads, at most 2,000; as many stand at the head of the order list
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1}                done
--
-- Nothing here depends on anything but the arguments and the keys. The RPUSH comes first: a server
-- that is full, a replica or may not write refuses it, and then nothing was done. Parts: guard.

local needed = {{'RPUSH', KEYS[1]}, {'LTRIM', KEYS[3]}, {'ZREMRANGEBYRANK', KEYS[2]}}
local refusal = guard({'list', 'zset', 'list'}, needed)
if refusal then return refusal end

local first, n = tonumber(ARGV[1]), #ARGV - 1
redis.call('RPUSH', KEYS[1], unpack(ARGV, 2))
redis.call('LTRIM', KEYS[3], n, -1)
redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + n - 1)
return {1}
