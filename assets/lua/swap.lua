-- Lets pairs of elements of the order list change places. Whatever others do meanwhile, the list
-- holds what it held before.
--
-- KEYS     1 order list (list)
-- ARGV     1 the pairs, 24 bytes each: two places from the head (from 0, 4 bytes, little-endian),
--            then what stands there: bytes 2 to 9 of each element. At most 2,000 pairs
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {i, ...}}      done, save for the pairs numbered i (from 1): something else stands
--                             there now
--
-- Depends on nothing but the arguments and the key. One argument: a server reads 16 KiB of a client
-- at a time, and beside long scripts a large command takes several rounds. A full server refuses the
-- first LSET, and then nothing was done. Part: guard.

local refusal = guard({'list'}, {{'LINDEX', KEYS[1]}, {'LRANGE', KEYS[1]}, {'LSET', KEYS[1]}})
if refusal then return refusal end

-- Where the element that begins like this stands, and it: at that place, or further to the head,
-- where it moves when others take out what stands before it.
local function find(place, mark)
  local element = redis.call('LINDEX', KEYS[1], place)
  if element and string.sub(element, 2, 9) == mark then
    return place, element
  end
  local first = math.max(place - 256, 0)
  local before = redis.call('LRANGE', KEYS[1], first, place)
  for i = #before, 1, -1 do
    if string.sub(before[i], 2, 9) == mark then
      return first + i - 1, before[i]
    end
  end
  return nil
end

local missed = {}
for i = 1, #ARGV[1] / 24 do
  local a, b, at_a, at_b = struct.unpack('<I4I4c8c8', ARGV[1], 24 * i - 23)
  local place_a, element_a = find(a, at_a)
  local place_b, element_b = find(b, at_b)
  if place_a and place_b and place_a ~= place_b then
    redis.call('LSET', KEYS[1], place_a, element_b)
    redis.call('LSET', KEYS[1], place_b, element_a)
  else
    missed[#missed + 1] = i
  end
end
return {1, missed}
