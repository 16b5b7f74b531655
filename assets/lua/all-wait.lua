-- Looks whether all that stands in the order list waits: a page of it, from its head to its tail. What
-- is set aside while it holds something else would lose that when it is brought back.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)
-- ARGV     1 place of the first, from 0   2 n: at most so many, 1 to 2,000
--          3 bytes: end before the elements have more; one is always looked at
--          4 the element before the first one, when that was looked at; else empty
-- returns  {0, k, type}          KEYS[k] holds a `type`
--          {1, what, at, last}   what: 0  all of it waits, up to the end of the list
--                                      1  so far: go on at place `at`, behind the element `last`
--                                      2  an element does not wait
--                                      3  another element stands before the first one: begin anew
--
-- Writes nothing. Parts: guard, waiting.

local refusal = guard({'zset', 'list'}, {{'LRANGE', KEYS[2]}, {'ZSCORE', KEYS[1]}})
if refusal then return refusal end

local at, last = tonumber(ARGV[1]), ARGV[4]
if at > 0 and redis.call('LRANGE', KEYS[2], at - 1, at - 1)[1] ~= last then
  return {1, 3, 0, ''}
end
-- How large they are nobody knows before they were read: few first, then as many as there is room for
-- where none is four times as large as the largest one up to then.
local left, bytes, largest, first = math.min(tonumber(ARGV[2]), 2000), tonumber(ARGV[3]), 1, true
while left > 0 and (first or bytes > 0) do
  local count = first and 8 or math.max(1, math.floor(bytes / largest / 4))
  count = math.min(count, left)
  local page = redis.call('LRANGE', KEYS[2], at, at + count - 1)
  local waits = waiting(KEYS[1], page)
  for i, element in ipairs(page) do
    if not waits[i] then
      return {1, 2, at, ''}
    end
    bytes, largest, last = bytes - #element, math.max(largest, #element), element
    at = at + 1
  end
  if #page < count then
    return {1, 0, at, ''}
  end
  left, first = left - count, false
end
return {1, 1, at, last}
