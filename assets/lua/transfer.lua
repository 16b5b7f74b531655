-- Moves what is due from timeouts to target, for all four frame forms side by side, beside any
-- number of Redisson clients. What is no frame is left where it is and said; it stops nothing.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 known: how many due members the caller knows to be no frames. So many more are
--            looked at, or else they would come to fill every batch
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, next, {id, score, ...}, {id, ...}, {id, score, ...}}
--            more     1 when not all that is due was looked at: call again
--            next     the score of the first entry that falls due later; empty when there is none
--            moved    id (8 bytes) and score (text) of each entry moved, in due order
--            skipped  of each due member that is no frame: 16 hex digits of its SHA-1
--            never    entries that are never due, with their scores: below 0, or from 1e17 on
--                     (at most 100 of each kind); an id of 8 bytes or of 16 hex digits, as above
--
-- Nothing here depends on anything but the arguments and the keys, so the script may be replicated
-- as it is (Redis 5 and 6) or by its effects. Parts: guard, frame, move.

local function id(m)
  local long, at = header(m)
  if long then return sub(m, at, at + 7) end
  return sub(redis.sha1hex(m), 1, 16)
end

local needed = {{'ZRANGEBYSCORE', KEYS[2]}, {'ZCOUNT', KEYS[2]}, unpack(moves)}
local refusal = guard({'list', 'zset', 'list'}, needed)
if refusal then return refusal end

local n = math.min(tonumber(ARGV[2]), 2000)
local look = n + tonumber(ARGV[3])
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '0', ARGV[1], 'WITHSCORES', 'LIMIT', 0, look)

local k, members, payloads, moved, skipped = 0, {}, {}, {}, {}
for i = 1, #due, 2 do
  local m = due[i]
  local long, at = header(m)
  if not long then
    skipped[#skipped + 1] = sub(redis.sha1hex(m), 1, 16)
  elseif k < n then
    -- Counted, since # looks for the end of a table each time: a sixth less server time.
    k = k + 1
    members[k] = m
    payloads[k] = sub(m, long + 1)
    moved[2 * k - 1] = sub(m, at, at + 7)
    moved[2 * k] = due[i + 1]
  end
end

if k > 0 then
  local rank = #skipped == 0 and redis.call('ZCOUNT', KEYS[2], '-inf', '(0')
  move(members, payloads, k, rank)
end

local more, following = 0, ''
if #due / 2 == look then
  more = 1
else
  following = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '(1e17', 'WITHSCORES', 'LIMIT', 0, 1)[2] or ''
end

local never = {}
for _, span in ipairs({{'-inf', '(0'}, {'1e17', '+inf'}}) do
  local out = redis.call('ZRANGEBYSCORE', KEYS[2], span[1], span[2], 'WITHSCORES', 'LIMIT', 0, 100)
  for i = 1, #out, 2 do
    never[#never + 1] = id(out[i])
    never[#never + 1] = out[i + 1]
  end
end
return {1, more, following, moved, skipped, never}
