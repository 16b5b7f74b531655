-- What a Redisson client of one generation does to transfer, its failures included: the demo's
-- simulated clients. Nothing else runs this.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms, decimal text)
--          2 n: move at most so many
--          3 the format that it unpacks frames by: 'dLc0' (Redisson up to 3.21.0) or 'Bc0Lc0'
-- returns  {1, score}   the score of the head afterwards, empty when nothing waits
--          an error     at the first frame that it cannot unpack. What was pushed before it stays
--                       in target **and** in timeouts, as with Redisson's own script: Lua does not
--                       roll back
--
-- The same commands in the same order as Redisson's script, in other words: the server shall not
-- remember a Redisson client that was never there.

local due = redis.call('ZRANGEBYSCORE', KEYS[2], 0, ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(due) do
  local _, payload = struct.unpack(ARGV[3], member)
  redis.call('RPUSH', KEYS[1], payload)
  redis.call('LREM', KEYS[3], 1, member)
end
if #due > 0 then
  redis.call('ZREM', KEYS[2], unpack(due))
end
return {1, redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or ''}
