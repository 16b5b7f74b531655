-- Gives elements of target other bytes, in their places: takes frames off that consumers cannot read,
-- or puts them on again.
--
-- KEYS     1 target (list)
-- ARGV     for each: 1 the element   2 its new bytes. At most 950; cheap when they stand near the
--          head.
-- returns  {0, 1, type}       KEYS[1] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each element: done or gone (see chosen)
--
-- Depends on nothing but the arguments and the key. Of equal elements that nearest to the head is
-- replaced. The new one comes first, which a full server refuses. Parts: guard, chosen.

local refusal = guard({'list'}, {{'LINSERT', KEYS[1]}, {'LREM', KEYS[1]}})
if refusal then return refusal end

local fates = {}
for i = 1, #ARGV, 2 do
  local fate = gone
  if redis.call('LINSERT', KEYS[1], 'BEFORE', ARGV[i], ARGV[i + 1]) > 0 then
    redis.call('LREM', KEYS[1], 1, ARGV[i])
    fate = done
  end
  fates[#fates + 1] = fate
end
return {1, fates}
