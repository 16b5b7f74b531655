-- transfer-zset-list.lua for changes that are written down: it tells what it moved whole, and
-- nothing else of timeouts.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)
-- ARGV     1 now: due is what has a score from 0 to now (in the queue's unit, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 `LPUSH` or `RPUSH`: to the end of target that takes them
--          4 bytes: end before those moved have more; one is always moved
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, {member, score, ...}, {}, ''}
--            more     1 when there is more that is due: call again
--            moved    each entry moved with its score (text), in due order. The empty values behind
--                     it are what transfer-telling.lua skips, and where it goes on
--
-- Depends on nothing but the arguments and the keys. The push comes first: a server that takes no
-- writes refuses it before anything was done. Parts: guard, rows.

local needed = {
  {ARGV[3], KEYS[1]}, {'ZCOUNT', KEYS[2]}, {'ZRANGE', KEYS[2]}, {'ZREMRANGEBYRANK', KEYS[2]},
}
local refusal = guard({'list', 'zset'}, needed)
if refusal then return refusal end

local n = math.min(tonumber(ARGV[2]), 2000)
local k, members, due = 0, {}, {}
local function take(m, score)
  k = k + 1
  members[k] = m
  due[2 * k - 1] = m
  due[2 * k] = score
  return n - k
end
local first = redis.call('ZCOUNT', KEYS[2], '-inf', '(0')
local last = redis.call('ZCOUNT', KEYS[2], '-inf', ARGV[1])
local at = read_rows(KEYS[2], first, last, n, tonumber(ARGV[4]), take)
if k > 0 then
  redis.call(ARGV[3], KEYS[1], unpack(members))
  redis.call('ZREMRANGEBYRANK', KEYS[2], first, first + k - 1)
end
return {1, at < last and 1 or 0, due, {}, ''}
