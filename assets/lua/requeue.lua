-- Gives waiting entries another score; each keeps its place in the order list.
--
-- KEYS     1 timeouts (sorted set)
-- ARGV     1 channel; empty when the queue has none
--          then, for each entry: its score, its new score (decimal texts), its member. At most 950.
-- returns  {0, 1, type}             KEYS[1] holds a `type`; nothing was done
--          {1, head, {fate, ...}}   head: see announce; of each entry: done, gone or its other score
--                                   (see chosen)
--
-- Nothing here depends on anything but the arguments and the key. ZADD is the only write: a server
-- that takes none refuses the first one, and then nothing was done. Parts: guard, chosen, announce.

local needed = {{'ZSCORE', KEYS[1]}, {'ZRANGE', KEYS[1]}, {'ZADD', KEYS[1]}}
local refusal = guard({'zset'}, needed)
if refusal then return refusal end

local fates, sooner = {}, {}
for i = 2, #ARGV, 3 do
  local was, new, m = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local fate = otherwise(KEYS[1], m, was)
  if not fate then
    redis.call('ZADD', KEYS[1], 'XX', new, m)
    sooner[m] = tonumber(new) < tonumber(was) and new or nil
    fate = done
  end
  fates[#fates + 1] = fate
end
return {1, announce(KEYS[1], ARGV[1], sooner), fates}
