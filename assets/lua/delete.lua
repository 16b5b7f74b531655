-- Deletes waiting entries: out of timeouts and of the order list.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list): only where the queue has one
-- ARGV     for each entry: its score (decimal text), its member. At most 950 entries.
-- returns  {0, k, type}              KEYS[k] holds a `type`; nothing was done
--          {1, {fate, place, ...}}   of each entry: done, gone or its other score (see chosen), and
--                                    where it stood in the order list when it left:
--                                      0  it was not in it     1  at its head
--                                      2  it was, but where is not known (see place)
--                                      or the member that it stood behind, as text
--          then {i, copies, ...}     of each that stood there more than once: which it is (from 1),
--                                    and how often
--
-- Nothing here depends on anything but the arguments and the keys. Only removals: a full server
-- takes them too. All copies of an entry leave the order list. Parts: guard, chosen, place, copies.

local order = KEYS[2]
local needed = {{'ZSCORE', KEYS[1]}, {'ZREM', KEYS[1]}}
if order then
  needed = {
    {'ZSCORE', KEYS[1]}, {'ZREM', KEYS[1]}, {'LLEN', order}, {'LRANGE', order}, {'LINDEX', order},
    {'LREM', order},
  }
end
local refusal = guard({'zset', order and 'list'}, needed)
if refusal then return refusal end

local told, again = {}, {}
for i = 1, #ARGV, 2 do
  local m = ARGV[i + 1]
  local fate, stood, copies = otherwise(KEYS[1], m, ARGV[i]), 0, 0
  if not fate then
    if order then
      stood, copies = take_out(order, m)
    end
    redis.call('ZREM', KEYS[1], m)
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
