-- transfer-zset-list.lua for changes that are written down: it tells what it moved whole, and
-- nothing else of timeouts.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)
-- ARGV     1 now: due is what has a score from 0 to now (in the queue's unit, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 `LPUSH` or `RPUSH`: to the end of target that takes them
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, {member, score, ...}, {}, ''}
--            more     1 when there may be more that is due: call again
--            moved    each entry moved with its score (text), in due order. The empty values behind
--                     it are what transfer-telling.lua skips, and where it goes on
--
-- Depends on nothing but the arguments and the keys. The push comes first: a server that takes no
-- writes refuses it before anything was done. Part: guard.

local needed = {
  {ARGV[3], KEYS[1]}, {'ZRANGEBYSCORE', KEYS[2]}, {'ZCOUNT', KEYS[2]}, {'ZREMRANGEBYRANK', KEYS[2]},
}
local refusal = guard({'list', 'zset'}, needed)
if refusal then return refusal end

local n = math.min(tonumber(ARGV[2]), 2000)
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '0', ARGV[1], 'WITHSCORES', 'LIMIT', 0, n)
local k, members = 0, {}
for i = 1, #due, 2 do
  k = k + 1
  members[k] = due[i]
end
if k > 0 then
  local first = redis.call('ZCOUNT', KEYS[2], '-inf', '(0')
  redis.call(ARGV[3], KEYS[1], unpack(members))
  redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + k - 1)
end
return {1, k == n and 1 or 0, due, {}, ''}
