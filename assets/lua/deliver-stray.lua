-- Delivers entries that only the order list holds: payload to target, out of the order list.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list)
-- ARGV     the members. At most 950.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each member: done, gone (it is not in the order list any more),
--                             no_frame, or, when it waits, the score that it has (text)
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. LREM alone tells whether there is
-- such an element, and takes it: two who deliver the same one deliver it once. But it is no write
-- that a full server would refuse, so a ZADD goes before it that is one and changes nothing (XX: the
-- member does not wait). The RPUSH then follows in the same script and is not refused any more.
-- All copies of a member leave the order list, and it comes to target once. Parts: guard, chosen,
-- aside, frame.

local needed = {
  {'ZSCORE', KEYS[2]}, {'EXISTS', KEYS[4]}, {'ZADD', KEYS[2]}, {'LREM', KEYS[3]}, {'RPUSH', KEYS[1]},
}
local refusal = guard({'list', 'zset', 'list', 'list'}, needed, 2) or is_aside(KEYS[4])
if refusal then return refusal end

local fates = {}
for i, m in ipairs(ARGV) do
  local fate = redis.call('ZSCORE', KEYS[2], m)
  local long = not fate and header(m)
  if not fate and not long then
    fate = no_frame
  elseif not fate then
    redis.call('ZADD', KEYS[2], 'XX', 0, m)
    fate = gone
    if redis.call('LREM', KEYS[3], 0, m) > 0 then
      redis.call('RPUSH', KEYS[1], sub(m, long + 1))
      fate = done
    end
  end
  fates[i] = fate
end
return {1, fates}
