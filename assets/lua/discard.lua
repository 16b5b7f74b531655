-- Deletes delivered elements, one copy for each time that it is named.
--
-- KEYS     1 target (list)
-- ARGV     1 `-1` or `1`: from its tail or its head target is searched
--          then the elements. At most 950.
-- returns  {0, 1, type}       KEYS[1] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each element: done or gone (see chosen)
--
-- Depends on nothing but the arguments and the key. Only removals: a full server takes them too.
-- Parts: guard, chosen.

local refusal = guard({'list'}, {{'LREM', KEYS[1]}})
if refusal then return refusal end

local fates = {}
for i = 2, #ARGV do
  fates[i - 1] = redis.call('LREM', KEYS[1], ARGV[1], ARGV[i]) == 1 and done or gone
end
return {1, fates}
