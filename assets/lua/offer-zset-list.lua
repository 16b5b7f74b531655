-- Offers entries to a `zset-list` queue. The member is the message, so an equal one that waits
-- already would get the new due time: it is refused instead.
--
-- KEYS     1 timeouts (sorted set)
-- ARGV     for each entry: its score (decimal text), its message. At most 1,900 entries.
-- returns  {0, 1, type}       KEYS[1] holds a `type`; nothing was done
--          {1, {i, ...}}      done, save for the entries numbered i (from 1): equal ones wait
--                             already (or were given twice) and were left as they are
--
-- Depends on nothing but the arguments and the key. ZADD is the first write: a server that takes no
-- writes refuses it before anything was done. Part: guard.

local refusal = guard({'zset'}, {{'ZADD', KEYS[1]}})
if refusal then return refusal end

local refused = {}
for i = 1, #ARGV, 2 do
  if redis.call('ZADD', KEYS[1], 'NX', ARGV[i], ARGV[i + 1]) == 0 then
    refused[#refused + 1] = (i + 1) / 2
  end
end
return {1, refused}
