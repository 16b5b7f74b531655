-- Takes a repair of drift back: members leave the order list again, or stand in it again. Timeouts
-- is not looked at, since that is what the repair did.
--
-- KEYS     1 order list (list)   2 aside (list)
-- ARGV     for each member: `in` or `out`, and it. At most 950 members; those that come in first
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each: done, or, when it was to go out and is not there, gone
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. The first write is RPUSH: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. Out
-- goes the copy nearest to the tail, where the repair had put it. Parts: guard, chosen, aside.

local needed = {
  {'EXISTS', KEYS[2]}, {'LINSERT', KEYS[1], room = true}, {'LREM', KEYS[1]}, {'RPUSH', KEYS[1]},
}
local refusal = guard({'list', 'list'}, needed) or is_aside(KEYS[2])
if refusal then return refusal end

local fates = {}
for i = 1, #ARGV, 2 do
  local fate = done
  if ARGV[i] == 'in' then
    refusal = refused(redis.pcall('RPUSH', KEYS[1], ARGV[i + 1]), 'RPUSH', KEYS[1])
    if refusal then return refusal end
  elseif redis.call('LREM', KEYS[1], -1, ARGV[i + 1]) == 0 then
    fate = gone
  end
  fates[#fates + 1] = fate
end
return {1, fates}
