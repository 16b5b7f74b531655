-- transfer.lua for changes that are written down: it tells what it moved whole, and nothing else of
-- timeouts; and it works beside an order list that is set aside.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 cursor: where to go on, as told before; empty: at the beginning
--          4 drain: 1 when the caller has set the order list aside: see move
--          5 bytes: end before those looked at have more; one is always looked at
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, {member, score, ...}, {member, ...}, cursor}
--            more     1 when not all that is due was looked at: call again
--            moved    each entry moved with its score (text), in due order
--            skipped  due members looked at that are no frames: they were left where they are
--            cursor   where to go on: see due
--
-- Nothing here depends on anything but the arguments and the keys. Parts: guard, frame, rows, due,
-- move.

local needed = {
  {'ZCOUNT', KEYS[2]}, {'ZRANGE', KEYS[2]}, {'LLEN', KEYS[3]}, {'EXISTS', KEYS[4]}, unpack(moves)
}
local refusal = guard({'list', 'zset', 'list', 'list'}, needed)
if refusal then return refusal end

local k, members, payloads, moved, skipped = 0, {}, {}, {}, {}
local function take(m, score, long)
  k = k + 1
  members[k] = m
  payloads[k] = sub(m, long + 1)
  moved[2 * k - 1] = m
  moved[2 * k] = score
end
local function pass(m)
  skipped[#skipped + 1] = m
end
local n = math.min(tonumber(ARGV[2]), 2000)
local cursor, more, rank = read_due(KEYS[2], ARGV[1], n, tonumber(ARGV[5]), ARGV[3], take, pass)
move(members, payloads, k, rank, ARGV[4] == '1')
return {1, more and 1 or 0, moved, skipped, cursor}
