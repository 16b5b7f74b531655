-- Lets entries wait again that are in quarantine, each with its score.
--
-- KEYS     1 timeouts (sorted set)   2 quarantine (sorted set)   where the queue has an order
--          list: 3 it (list)   4 aside (list)
-- ARGV     1 channel; empty when the queue has none
--          then, for each entry: its score (decimal text), its member, `head`, `behind` or `tail`
--          (of the order list; `out`: it does not come into it), and the member that it stood
--          behind (else empty). At most 950 entries.
-- returns  {0, k, type}             KEYS[k] holds a `type`; nothing was done
--          {1, head, {fate, ...}}   head: see announce; of each entry: done; gone or its other score
--                                   (see chosen) in quarantine; no_frame: it waits already with
--                                   another score, and stays in quarantine
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. The first write is ZADD: a
-- server that is full, a replica or may not write refuses that one, and then nothing was done. One
-- that waits already with the same score is the same one: it leaves quarantine, and keeps its
-- place. Parts: guard, chosen, aside, announce.

local timeouts, quarantine, order = KEYS[1], KEYS[2], KEYS[3]
local needed = {
  {'ZSCORE', quarantine}, {'ZSCORE', timeouts}, {'ZRANGE', timeouts}, {'ZADD', timeouts},
  {'ZREM', quarantine}, order and {'EXISTS', KEYS[4]}, order and {'RPUSH', order},
  order and {'LPUSH', order}, order and {'LINSERT', order},
}
local refusal = guard({'zset', 'zset', order and 'list', order and 'list'}, needed) or is_aside(KEYS[4])
if refusal then return refusal end

local fates, sooner = {}, {}
for i = 2, #ARGV, 4 do
  local m, place = ARGV[i + 1], ARGV[i + 2]
  local fate = otherwise(quarantine, m, ARGV[i])
  if not fate then
    local score = redis.call('ZSCORE', quarantine, m)
    if redis.call('ZADD', timeouts, 'NX', score, m) == 1 then
      sooner[m] = score
      if order and place == 'head' then
        redis.call('LPUSH', order, m)
      elseif order and place ~= 'out' and (place == 'tail' or redis.call('LINSERT', order, 'AFTER', ARGV[i + 3], m) <= 0) then
        redis.call('RPUSH', order, m)
      end
    elseif otherwise(timeouts, m, score) then
      fate = no_frame
    end
    if not fate then
      redis.call('ZREM', quarantine, m)
      fate = done
    end
  end
  fates[#fates + 1] = fate
end
return {1, announce(timeouts, ARGV[1], sooner), fates}
