-- Moves what is due from timeouts to target in a `zset-list` queue, in one step: the plain poller
-- does it in two, and two pollers at once deliver twice.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)
-- ARGV     1 now: due is what has a score from 0 to now (in the queue's unit, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 `left` or `right`: the end of target that takes them
--          4 limit: scores from here on are never due (in the queue's unit, decimal text)
--          5 bytes: end before those moved have more; one is always moved
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, next, {id, score, ...}, {}, {id, score, ...}, '', 0}
--            more     1 when there is more that is due: call again
--            next     the score of the first entry that falls due later; empty when there is none
--            moved    16 hex digits of its SHA-1, and score (text), of each entry moved, in due order
--            never    the same of entries that are never due: below 0, or from limit on (at most
--                     100 of each kind). The empty list before it is what transfer.lua
--                     skips, what stands behind it where that goes on, and what it has left there
--
-- Depends on nothing but the arguments and the keys. The push comes first: a server that takes no
-- writes refuses it before anything was done. Parts: guard, rows.

local push = ARGV[3] == 'left' and 'LPUSH' or 'RPUSH'
local needed = {
  {push, KEYS[1]}, {'ZRANGEBYSCORE', KEYS[2]}, {'ZCOUNT', KEYS[2]}, {'ZRANGE', KEYS[2]}, {'ZREM', KEYS[2]},
}
local refusal = guard({'list', 'zset'}, needed)
if refusal then return refusal end

local function ids(rows)
  local list = {}
  for i = 1, #rows, 2 do
    list[i] = string.sub(redis.sha1hex(rows[i]), 1, 16)
    list[i + 1] = rows[i + 1]
  end
  return list
end

local n = math.min(tonumber(ARGV[2]), 2000)
local members, due = {}, {}
local function take(m, score)
  members[#members + 1] = m
  due[#due + 1] = m
  due[#due + 1] = score
  return n - #members
end
local first = redis.call('ZCOUNT', KEYS[2], '-inf', '(0')
local last = redis.call('ZCOUNT', KEYS[2], '-inf', ARGV[1])
local at = read_rows(KEYS[2], first, last, n, tonumber(ARGV[5]), take)
if #members > 0 then
  redis.call(push, KEYS[1], unpack(members))
  redis.call('ZREM', KEYS[2], unpack(members))
end

local more, following = 0, ''
if at < last then
  more = 1
else
  following = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '(' .. ARGV[4], 'WITHSCORES', 'LIMIT', 0, 1)[2] or ''
end

local never = ids(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(0', 'WITHSCORES', 'LIMIT', 0, 100))
for _, value in ipairs(ids(redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, 100))) do
  never[#never + 1] = value
end
return {1, more, following, ids(due), {}, never, '', 0}
