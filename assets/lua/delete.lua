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
--
-- Nothing here depends on anything but the arguments and the keys. Only removals: a full server
-- takes them too. One copy of an entry leaves the order list; a second one stays. Parts: guard,
-- chosen, place.

local order = KEYS[2]
local needed = {{'ZSCORE', KEYS[1]}, {'ZREM', KEYS[1]}}
if order then
  needed = {
    {'ZSCORE', KEYS[1]}, {'ZREM', KEYS[1]}, {'ZRANK', KEYS[1]}, {'ZCARD', KEYS[1]},
    {'LLEN', order}, {'LRANGE', order}, {'LINDEX', order}, {'LREM', order},
  }
end
local refusal = guard({'zset', order and 'list'}, needed)
if refusal then return refusal end

-- Takes one copy of m out of the order list and tells where it stood.
local function take(m)
  local length = redis.call('LLEN', order)
  local from_tail = redis.call('ZRANK', KEYS[1], m) * 2 > redis.call('ZCARD', KEYS[1])
  local at = place(order, m, length, from_tail)
  if at == nil then return 0 end
  local behind = at and at > 0 and redis.call('LINDEX', order, at - 1)
  local back = from_tail
  if at then back = at * 2 > length end
  if redis.call('LREM', order, back and -1 or 1, m) == 0 then return 0 end
  -- From the other end it may have been another copy that left: then this one still stands.
  if not at or (back ~= from_tail and redis.call('LINDEX', order, back and at or at - 1) == m) then
    return 2
  end
  return behind or 1
end

local told = {}
for i = 1, #ARGV, 2 do
  local m = ARGV[i + 1]
  local fate, stood = otherwise(KEYS[1], m, ARGV[i]), 0
  if not fate then
    if order then
      stood = take(m)
    end
    redis.call('ZREM', KEYS[1], m)
    fate = done
  end
  told[i] = fate
  told[i + 1] = stood
end
return {1, told}
