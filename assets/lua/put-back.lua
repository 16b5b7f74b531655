-- Puts deleted entries back, each with its score and in its place of the order list.
--
-- KEYS     1 timeouts (sorted set)   where the queue has an order list: 2 it (list)   3 aside (list):
--          only where something comes into the order list
-- ARGV     1 channel; empty when the queue has none
--          then, for each entry: its score (decimal text), its member, `head`, `behind` or `tail`,
--          and the member that it stood behind (else empty). `stays`: it is in the order list, and
--          only timeouts lacks it. At most 950 entries.
-- returns  {0, k, type}             KEYS[k] holds a `type`; nothing was done
--          {1, head, {fate, ...}}   head: see announce; of each entry: done, or, when it waits
--                                   already, the score that it has (text)
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. The first write is ZADD: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. ZADD
-- NX, and the order list only for what it added. Parts: guard, chosen, aside, announce.

local order = KEYS[2]
local needed = {{'ZSCORE', KEYS[1]}, {'ZRANGE', KEYS[1]}, {'ZADD', KEYS[1]}}
if KEYS[3] then
  needed[4], needed[5] = {'EXISTS', KEYS[3]}, {'RPUSH', order}
  needed[6], needed[7] = {'LPUSH', order}, {'LINSERT', order}
end
local refusal = guard({'zset', order and 'list', KEYS[3] and 'list'}, needed, 1) or is_aside(KEYS[3])
if refusal then return refusal end

local fates, sooner = {}, {}
for i = 2, #ARGV, 4 do
  local m, place = ARGV[i + 1], ARGV[i + 2]
  local fate = done
  if redis.call('ZADD', KEYS[1], 'NX', ARGV[i], m) == 0 then
    fate = redis.call('ZSCORE', KEYS[1], m)
  else
    sooner[m] = ARGV[i]
    if order and place == 'head' then
      redis.call('LPUSH', order, m)
    elseif order and place ~= 'stays' and (place == 'tail' or redis.call('LINSERT', order, 'AFTER', ARGV[i + 3], m) <= 0) then
      redis.call('RPUSH', order, m)
    end
  end
  fates[#fates + 1] = fate
end
return {1, announce(KEYS[1], ARGV[1], sooner), fates}
