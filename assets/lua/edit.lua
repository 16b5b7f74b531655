-- Gives waiting entries other bytes; each keeps its score and its place in the order list.
--
-- KEYS     1 timeouts (sorted set)   where the queue has an order list: 2 it (list)   3 aside (list)
-- ARGV     for each entry: its score (decimal text), its member, its new member. At most 950 entries.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each entry: done, gone, or a score (text; see chosen): its other one,
--                             or its own when the new member waits already, which the edit would
--                             swallow
--          then {i, copies, ...}   of each that stood more than once in the order list: which it is
--                             (from 1), and how often
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. The first write is ZADD: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. The
-- score goes from ZSCORE to ZADD as the text that it is. The new member takes the place of the first
-- copy of the old one; the others leave, or they would be handed out with the old bytes. Parts: guard,
-- chosen, aside.

local order = KEYS[2]
local needed = {
  {'ZSCORE', KEYS[1]}, {'ZADD', KEYS[1]}, {'ZREM', KEYS[1]},
  order and {'EXISTS', KEYS[3]}, order and {'LINSERT', order}, order and {'LREM', order},
}
local refusal = guard({'zset', order and 'list', order and 'list'}, needed) or is_aside(KEYS[3])
if refusal then return refusal end

local fates, again = {}, {}
for i = 1, #ARGV, 3 do
  local m, new = ARGV[i + 1], ARGV[i + 2]
  local fate = otherwise(KEYS[1], m, ARGV[i])
  if not fate and new ~= m then
    local score = redis.call('ZSCORE', KEYS[1], m)
    if redis.call('ZADD', KEYS[1], 'NX', score, new) == 0 then
      fate = score
    else
      if order and redis.call('LINSERT', order, 'BEFORE', m, new) > 0 then
        local copies = redis.call('LREM', order, 0, m)
        if copies > 1 then
          again[#again + 1] = (i + 2) / 3
          again[#again + 1] = copies
        end
      end
      redis.call('ZREM', KEYS[1], m)
    end
  end
  fates[#fates + 1] = fate or done
end
return {1, fates, again}
