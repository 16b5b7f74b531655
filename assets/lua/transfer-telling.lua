-- transfer.lua for changes that are written down: it tells what it moved whole, and nothing else of
-- timeouts; and it works beside an order list that is set aside.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 known: how many due members the caller knows to be no frames; so many more are looked at
--          4 drain: 1 when the caller has set the order list aside: see move
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, {member, score, ...}, {member, ...}}
--            more     1 when not all that is due was looked at: call again
--            moved    each entry moved with its score (text), in due order
--            skipped  due members that are no frames: they were left where they are
--
-- Nothing here depends on anything but the arguments and the keys. Parts: guard, frame, move.

local needed = {
  {'ZRANGEBYSCORE', KEYS[2]}, {'ZCOUNT', KEYS[2]}, {'LLEN', KEYS[3]}, {'EXISTS', KEYS[4]},
  unpack(moves)
}
local refusal = guard({'list', 'zset', 'list', 'list'}, needed)
if refusal then return refusal end

local n = math.min(tonumber(ARGV[2]), 2000)
local look = n + tonumber(ARGV[3])
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '0', ARGV[1], 'WITHSCORES', 'LIMIT', 0, look)

local k, members, payloads, skipped = 0, {}, {}, {}
for i = 1, #due, 2 do
  local m = due[i]
  local long = header(m)
  if not long then
    skipped[#skipped + 1] = m
  elseif k < n then
    k = k + 1
    members[k] = m
    payloads[k] = sub(m, long + 1)
  end
end

local rank = #skipped == 0 and redis.call('ZCOUNT', KEYS[2], '-inf', '(0')
move(members, payloads, k, rank, ARGV[4] == '1')

-- What was read is what was moved, as a rule: then it need not be put together again.
local moved = due
if 2 * k < #due then
  moved = {}
  for i = 1, #due, 2 do
    if due[i] == members[#moved / 2 + 1] then
      moved[#moved + 1] = due[i]
      moved[#moved + 1] = due[i + 1]
    end
  end
end
return {1, #due / 2 == look and 1 or 0, moved, skipped}
