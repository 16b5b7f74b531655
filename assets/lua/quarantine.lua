-- Sets waiting entries aside: out of timeouts and of the order list, into the queue's quarantine.
--
-- KEYS     1 timeouts (sorted set)   2 quarantine (sorted set)   3 order list (list): only where
--          the queue has one
-- ARGV     for each entry: its score (decimal text), its member. At most 950 entries.
-- returns  {0, k, type}              KEYS[k] holds a `type`; nothing was done
--          {1, {fate, place, ...}}   of each entry: done; gone or its other score (see chosen);
--                                    no_frame: an equal member is in quarantine with another score,
--                                    and it stays; and where it stood in the order list, as in
--                                    delete.lua
--          then {i, copies, ...}     the same as there
--
-- Nothing here depends on anything but the arguments and the keys. The first write is ZADD: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. The
-- score goes from ZSCORE to ZADD as the text that it is. One that is in quarantine already with the
-- same score is the same one. All copies of an entry leave the order list. Parts: guard, chosen,
-- place, copies.

local timeouts, quarantine, order = KEYS[1], KEYS[2], KEYS[3]
local needed = {
  {'ZSCORE', timeouts}, {'ZSCORE', quarantine}, {'ZADD', quarantine}, {'ZREM', timeouts},
  order and {'LLEN', order}, order and {'LRANGE', order}, order and {'LINDEX', order},
  order and {'LREM', order},
}
local refusal = guard({'zset', 'zset', order and 'list'}, needed)
if refusal then return refusal end

local told, again = {}, {}
for i = 1, #ARGV, 2 do
  local m = ARGV[i + 1]
  local fate, stood, copies = otherwise(timeouts, m, ARGV[i]), 0, 0
  local kept = not fate and otherwise(quarantine, m, ARGV[i])
  if kept and kept ~= gone then
    fate = no_frame
  elseif not fate then
    redis.call('ZADD', quarantine, redis.call('ZSCORE', timeouts, m), m)
    if order then
      stood, copies = take_out(order, m)
    end
    redis.call('ZREM', timeouts, m)
    fate = done
  end
  told[i] = fate
  told[i + 1] = stood
  if copies > 1 then
    again[#again + 1] = (i + 1) / 2
    again[#again + 1] = copies
  end
end
return {1, told, again}
