-- Puts deleted elements back at the end of target where the next consumer takes them.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)
-- ARGV     1 `LPUSH` or `RPUSH`: to that end   then the elements, the one to be taken first last. At
--          most 950. Without any it is only asked whether it may.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, n}             done: so many elements are in target now
--
-- Depends on nothing but the arguments and the key. One write: all or nothing. Part: guard.

local asks = #ARGV < 2
local wanted, needed = {'list'}, {{'LLEN', KEYS[1]}, {ARGV[1], KEYS[1]}}
if asks then
  -- Others write before it then: it has to be tried.
  wanted[2] = 'zset'
  table.insert(needed, 2, {'ZADD', KEYS[2]})
end
local refusal = guard(wanted, needed, asks and 2)
if refusal then return refusal end
if asks then
  return {1, redis.call('LLEN', KEYS[1])}
end
local pushed = redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2))
return refused(pushed, ARGV[1], KEYS[1]) or {1, pushed}
