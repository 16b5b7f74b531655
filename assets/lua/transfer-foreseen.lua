-- transfer-telling.lua for a caller that has read what falls due next, and written it down: it moves
-- just that, or nothing. So it need not tell what it moved: a third less server time.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: so many entries are foreseen, 1 to 2,000
--          3 the SHA-1 (hex) of these n members one behind the other. Each is a frame, which says
--            itself how long it is
--          4 how many bytes stand before the payload in each of them; 0: not the same in all
--          5 drain: 1 when the caller has set the order list aside: see move
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, moved}         moved: 1; or 0: something else falls due next, and nothing was done
--
-- Nothing here depends on anything but the arguments and the keys. Parts: guard, frame, move.

local needed = {{'LLEN', KEYS[3]}, {'EXISTS', KEYS[4]}, unpack(removals)}
local refusal = guard({'list', 'zset', 'list', 'list'}, needed)
if refusal then return refusal end

local n = math.min(tonumber(ARGV[2]), 2000)
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '0', ARGV[1], 'LIMIT', 0, n)
if #due == 0 or redis.sha1hex(table.concat(due)) ~= ARGV[3] then
  return {1, 0}
end

local payloads, same = {}, tonumber(ARGV[4])
for i = 1, #due do
  local long = same > 0 and same or header(due[i])
  if not long then return {1, 0} end
  payloads[i] = sub(due[i], long + 1)
end
move(due, payloads, #due, redis.call('ZCOUNT', KEYS[2], '-inf', '(0'), ARGV[5] == '1')
return {1, 1}
