-- Sets the order list aside: renames it, so that what is delivered meanwhile costs no walk.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 its name while it is aside (list)
-- ARGV     none; or 1 `ask`: it is only asked whether it may
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, what}          what: 0  it is aside now
--                                   1  there is none, or nothing waits, or it was only asked;
--                                      nothing was done
--                                   2  one is aside already; nothing was done
--                                   3  it has an expiry, which RENAME would carry off; or timeouts
--                                      has one, after which nothing of it would come back; nothing
--                                      was done
--
-- Depends on nothing but the keys. One command writes, and costs the same whatever the length.
-- Part: guard.

-- Also what it takes to bring the list back.
local needed = {
  {'EXISTS', KEYS[3]}, {'EXISTS', KEYS[1]}, {'PTTL', KEYS[1]}, {'PTTL', KEYS[2]},
  {'RENAME', KEYS[2], KEYS[3]},
  {'LLEN', KEYS[3]}, {'LRANGE', KEYS[3]}, {'ZSCORE', KEYS[1]}, {'LTRIM', KEYS[3]},
  {'LPUSH', KEYS[2]},
}
local refusal = guard({'zset', 'list', 'list'}, needed)
if refusal then return refusal end

if ARGV[1] then
  return {1, 1}
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  return {1, 2}
end
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 0 then
  return {1, 1}
end
if redis.call('PTTL', KEYS[1]) >= 0 or redis.call('PTTL', KEYS[2]) >= 0 then
  return {1, 3}
end
redis.call('RENAME', KEYS[2], KEYS[3])
return {1, 0}
