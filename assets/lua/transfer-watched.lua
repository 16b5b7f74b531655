-- The end of a transaction that moves entries of a Redisson queue to its target, by a client that
-- watches timeouts and order list: what it has read of them still stands. Before this, the
-- transaction has sent all payloads but the last one to target: if that was refused, so is this
-- RPUSH, and nothing was done.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 the last payload
--          2 where the entries begin in timeouts, from 0
--          3 how many they are; as many stand at the head of the order list
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1}                done
--
-- Nothing here depends on anything but the arguments and the keys. Parts: guard.

local refusal = guard({'list', 'zset', 'list'})
if refusal then return refusal end

local first, n = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[3], n, -1)
redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + n - 1)
return {1}
