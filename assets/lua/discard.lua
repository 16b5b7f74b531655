-- Deletes delivered elements, one copy for each time that it is named.
--
-- KEYS     1 target (list)
-- ARGV     1 `-1` or `1`: from its tail or its head target is searched   2 `places`: it is told where
--          they stood (that end is the one where new elements come); else empty
--          then the elements. At most 950.
-- returns  {0, 1, type}                     KEYS[1] holds a `type`; nothing was done
--          {1, {fate, ...}, {place, n...}}  of each element: done or gone (see chosen), and, where it
--                                           is told, where it stood when it left:
--                                             0  it was not there
--                                             1  where a consumer takes next
--                                             2  not known
--                                             or the element behind which it stood, as text, and the
--                                             how manieth of its equals that is (see standing); else 0
--
-- Depends on nothing but the arguments and the key. Only removals: a full server takes them too.
-- Parts: guard, chosen, standing.

local needed = {{'LREM', KEYS[1]}}
if ARGV[2] == 'places' then
  needed = {{'LREM', KEYS[1]}, {'LLEN', KEYS[1]}, {'LRANGE', KEYS[1]}, {'LINDEX', KEYS[1]}}
end
local refusal = guard({'list'}, needed)
if refusal then return refusal end

local fates, places = {}, {}
for i = 3, #ARGV do
  local place, n
  if ARGV[2] == 'places' then
    place, n = stands(KEYS[1], ARGV[i], tonumber(ARGV[1]))
    places[#places + 1] = place or 0
    places[#places + 1] = n or 0
  end
  fates[i - 2] = redis.call('LREM', KEYS[1], ARGV[1], ARGV[i]) == 1 and done or gone
end
return {1, fates, places}
