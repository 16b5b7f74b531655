-- Takes the second copy of an element that stands twice out of the order list.
--
-- KEYS     1 order list (list)
-- ARGV     1 place of the first copy   2 place of the second one (from the head, from 0), as they
--          were read   3 the element
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, done}          1: the second copy left, 0: nothing was done, it does not stand at
--                             both places (nor up to 256 before them) any more
--
-- Depends on nothing but the arguments and the key. An LREM of the element itself would take the
-- first copy, or walk past all: the second one becomes something that stands nowhere else, and that
-- is removed from the nearer end. Part: guard.

local needed = {
  {'LINDEX', KEYS[1]}, {'LRANGE', KEYS[1]}, {'LSET', KEYS[1]}, {'LLEN', KEYS[1]}, {'LREM', KEYS[1]},
}
local refusal = guard({'list'}, needed)
if refusal then return refusal end

-- Where it stands: at `place`, or the nearest before it that is behind `after`.
local function find(place, after)
  -- Mostly there: then nothing else is read, which may be large.
  if place > after and redis.call('LINDEX', KEYS[1], place) == ARGV[3] then return place end
  local first = math.max(place - 256, after + 1)
  local before = redis.call('LRANGE', KEYS[1], first, place)
  for i = #before, 1, -1 do
    if before[i] == ARGV[3] then return first + i - 1 end
  end
  return nil
end

local one = find(tonumber(ARGV[1]), -1)
local other = one and find(tonumber(ARGV[2]), one)
if not other then
  return {1, 0}
end
local nothing = 'delayscope:drop-copy:' .. redis.sha1hex(ARGV[3])
redis.call('LSET', KEYS[1], other, nothing)
local near = other * 2 < redis.call('LLEN', KEYS[1]) and 1 or -1
redis.call('LREM', KEYS[1], near, nothing)
return {1, 1}
