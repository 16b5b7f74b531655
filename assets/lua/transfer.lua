-- Moves what is due from timeouts to target, for all four frame forms side by side, beside any
-- number of Redisson clients. What is no frame is left where it is and said; it stops nothing.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 cursor: where to go on, as told before; empty: at the beginning
--          4 bytes: end before those looked at have more; one is always looked at
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, next, {id, score, ...}, {id, ...}, {id, score, ...}, cursor, ahead}
--            more     1 when not all that is due was looked at: call again
--            next     the score of the first entry that falls due later; empty when there is none
--            moved    id (8 bytes) and score (text) of each entry moved, in due order
--            skipped  of each due member looked at that is no frame: 16 hex digits of its SHA-1
--            never    entries that are never due, with their scores: below 0, or from 1e17 on
--                     (at most 100 of each kind); an id of 8 bytes or of 16 hex digits, as above
--            cursor   where to go on: see due
--            ahead    how many due members stand before the cursor that was given
--
-- Nothing here depends on anything but the arguments and the keys, so the script may be replicated
-- as it is (Redis 5 and 6) or by its effects. Parts: guard, frame, rows, due,
-- move.

local function id(m)
  local long, at = header(m)
  if long then return sub(m, at, at + 7) end
  return sub(redis.sha1hex(m), 1, 16)
end

local wanted = {'list', 'zset', 'list'}
local reads = {{'ZCOUNT', KEYS[2]}, {'ZRANGE', KEYS[2]}, {'ZRANGEBYSCORE', KEYS[2]}}
local refusal = guard(wanted, reads)
if refusal then return refusal end

local k, members, payloads, moved, skipped = 0, {}, {}, {}, {}
local function take(m, score, long, start)
  -- Counted, since # looks for the end of a table each time: a sixth less server time.
  k = k + 1
  members[k] = m
  payloads[k] = sub(m, long + 1)
  moved[2 * k - 1] = sub(m, start, start + 7)
  moved[2 * k] = score
end
local function pass(m)
  skipped[#skipped + 1] = sub(redis.sha1hex(m), 1, 16)
end
local n = math.min(tonumber(ARGV[2]), 2000)
local cursor, more, rank, ahead = read_due(KEYS[2], ARGV[1], n, tonumber(ARGV[4]), ARGV[3], take, pass)
-- Most often nothing is due: then nothing else need be allowed, nor be looked up.
if k > 0 then
  refusal = guard(wanted, moves)
  if refusal then return refusal end
  move(members, payloads, k, rank)
end

local following = ''
if not more then
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
return {1, more and 1 or 0, following, moved, skipped, never, cursor, ahead}
