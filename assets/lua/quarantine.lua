-- Sets waiting entries aside: out of timeouts and of the order list, into the queue's quarantine.
--
-- KEYS     1 timeouts (sorted set)   2 quarantine (sorted set)   3 order list (list): only where
--          the queue has one
-- ARGV     for each entry: its score (decimal text), its member. At most 950 entries.
-- returns  {0, k, type}              KEYS[k] holds a `type`; nothing was done
--          {1, {fate, place, ...}}   of each entry: done, gone or its other score (see chosen),
--                                    and where it stood in the order list, as in delete.lua
--
-- Nothing here depends on anything but the arguments and the keys. The first write is ZADD: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. The
-- score goes from ZSCORE to ZADD as the text that it is; one that an equal member has in quarantine
-- already gives way to it. All copies of an entry leave the order list: what is no frame breaks off
-- whoever walks it. Parts: guard, chosen, place.

local timeouts, quarantine, order = KEYS[1], KEYS[2], KEYS[3]
local needed = {{'ZSCORE', timeouts}, {'ZADD', quarantine}, {'ZREM', timeouts}}
if order then
  needed = {
    {'ZSCORE', timeouts}, {'ZADD', quarantine}, {'ZREM', timeouts}, {'ZRANK', timeouts},
    {'ZCARD', timeouts}, {'LLEN', order}, {'LRANGE', order}, {'LINDEX', order}, {'LREM', order},
  }
end
local refusal = guard({'zset', 'zset', order and 'list'}, needed)
if refusal then return refusal end

-- Takes all copies of m out of the order list and tells where one of them stood.
local function take(m)
  local length = redis.call('LLEN', order)
  local from_tail = redis.call('ZRANK', timeouts, m) * 2 > redis.call('ZCARD', timeouts)
  local at = place(order, m, length, from_tail)
  if at == nil then return 0 end
  local behind = at and at > 0 and redis.call('LINDEX', order, at - 1)
  if redis.call('LREM', order, 0, m) == 0 then return 0 end
  if not at then return 2 end
  return behind or 1
end

local told = {}
for i = 1, #ARGV, 2 do
  local m = ARGV[i + 1]
  local fate, stood = otherwise(timeouts, m, ARGV[i]), 0
  if not fate then
    redis.call('ZADD', quarantine, redis.call('ZSCORE', timeouts, m), m)
    if order then
      stood = take(m)
    end
    redis.call('ZREM', timeouts, m)
    fate = done
  end
  told[i] = fate
  told[i + 1] = stood
end
return {1, told}
