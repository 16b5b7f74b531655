-- Brings the end of an order list that is aside back to the head of the order list, without what
-- does not wait any more. Called until nothing is aside, by anybody, also by two at once: the order
-- of the offers comes back exactly.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 its name while it is aside (list)
-- ARGV     1 n: at most so many elements, 1 to 2,000 (without timeouts, when they are only counted,
--            100,000)   2 0: only count what was dropped, 1: tell it; 2: entries wait in timeouts
--            still, as far as the caller knows: without timeouts nothing is dropped
--          3 bytes: end before the elements have more; one is always taken
-- returns  {0, k, type}                      KEYS[k] holds a `type`; nothing was done
--          {1, taken, left, {member, ...}}   so many elements were taken (0: nothing is aside any
--                                            more), so many are left, these were dropped
--
-- Depends on nothing but the arguments and the keys. The first LTRIM changes nothing, but it is a
-- write: after it a full server lets the rest of the script pass, which needs no more memory.
-- Parts: guard, waiting.

local needed = {
  {'EXISTS', KEYS[1]}, {'LLEN', KEYS[3]}, {'LRANGE', KEYS[3]}, {'ZSCORE', KEYS[1]},
  {'LTRIM', KEYS[3]}, {'LPUSH', KEYS[2]},
}
local refusal = guard({'zset', 'list', 'list'}, needed)
if refusal then return refusal end

-- Where nothing waits nothing comes back, and a list loses many at once as cheaply as a few. Where
-- something should, somebody has deleted or renamed timeouts: these are the last copies.
local nothing = redis.call('EXISTS', KEYS[1]) == 0
local all = nothing and ARGV[2] == '2'
if nothing and ARGV[2] == '0' then
  local long = redis.call('LLEN', KEYS[3])
  redis.call('LTRIM', KEYS[3], 0, -100001)
  return {1, math.min(long, 100000), math.max(long - 100000, 0), {}}
end

-- How large they are nobody knows before they were read, so few are read at once.
local most, bytes = math.min(tonumber(ARGV[1]), 2000), tonumber(ARGV[3])
local taken, n, full = {}, 0, false
while n < most and not full do
  local count = math.min(8, most - n)
  local page = redis.call('LRANGE', KEYS[3], -n - count, -n - 1)
  full = #page < count
  for i = #page, 1, -1 do
    bytes = bytes - #page[i]
    full = full or bytes < 0
    if bytes < 0 and n > 0 then break end
    n = n + 1
    taken[n] = page[i]
  end
end
if n == 0 then
  return {1, 0, 0, {}}
end
local kept, k, dropped = {}, 0, {}
local waits = all and taken or waiting(KEYS[1], taken)
for i, element in ipairs(taken) do
  if waits[i] then
    k = k + 1
    kept[k] = element
  elseif ARGV[2] == '1' then
    dropped[#dropped + 1] = element
  end
end
redis.call('LTRIM', KEYS[3], 0, -1)
if k > 0 then
  redis.call('LPUSH', KEYS[2], unpack(kept))
end
redis.call('LTRIM', KEYS[3], 0, -n - 1)
return {1, n, redis.call('LLEN', KEYS[3]), dropped}
