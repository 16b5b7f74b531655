-- Puts deleted elements back at the end of target where the next consumer takes them.
--
-- KEYS     1 target (list)
-- ARGV     1 `LPUSH` or `RPUSH`: to that end   then the elements, the one to be taken first last. At
--          most 950.
-- returns  {0, 1, type}       KEYS[1] holds a `type`; nothing was done
--          {1, n}             done: so many elements are in target now
--
-- Depends on nothing but the arguments and the key. One write: all or nothing. Part: guard.

local refusal = guard({'list'}, {{'LLEN', KEYS[1]}, {ARGV[1], KEYS[1]}})
if refusal then return refusal end
if #ARGV < 2 then
  return {1, redis.call('LLEN', KEYS[1])}
end
local pushed = redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2))
return refused(pushed, ARGV[1], KEYS[1]) or {1, pushed}
