-- Takes delivered elements out of target and lets them wait again: in timeouts, and at an end of the
-- order list.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   where the queue has an order list: 3 it (list)
--          4 aside (list)
-- ARGV     1 channel; empty when the queue has none
--          2 `-1` or `1`: at its tail or its head target is searched first
--          3 `LPUSH` or `RPUSH`: to the end of the order list that takes them
--          then, for each element: it, the member that it becomes, its score (decimal text). At most
--          950 elements.
-- returns  {0, k, type}             KEYS[k] holds a `type`; nothing was done
--          {1, head, {fate, ...}}   head: see announce; of each element: done, gone (no such element),
--                                   or, when that member waits already, the score that it has (text)
--          or an error ASIDE: see is_aside
--
-- Nothing here depends on anything but the arguments and the keys. LREM alone tells whether there
-- is such an element, and takes it: as many members come to be as elements went, however many are
-- equal. But it is no write that a full server would refuse, so one that is goes before it: the push
-- to the order list, taken back from the same end where there is no such element; without an order
-- list a ZADD that changes nothing (XX: the member does not wait). What follows in the same script
-- is not refused any more. Parts: guard, chosen, aside, announce.

local order = KEYS[3]
local needed = {
  {'ZSCORE', KEYS[2]}, {'ZRANGE', KEYS[2]}, {'ZADD', KEYS[2]}, {'LREM', KEYS[1]},
  order and {'EXISTS', KEYS[4]}, order and {'LREM', order}, order and {ARGV[3], order},
}
local wanted = {'list', 'zset', order and 'list', order and 'list'}
local refusal = guard(wanted, needed) or is_aside(KEYS[4])
if refusal then return refusal end

local fates, sooner = {}, {}
for i = 4, #ARGV, 3 do
  local m, due = ARGV[i + 1], ARGV[i + 2]
  local fate = redis.call('ZSCORE', KEYS[2], m)
  if not fate then
    if order then
      refusal = refused(redis.pcall(ARGV[3], order, m), ARGV[3], order)
      if refusal then return refusal end
    else
      redis.call('ZADD', KEYS[2], 'XX', due, m)
    end
    fate = gone
    if redis.call('LREM', KEYS[1], ARGV[2], ARGV[i]) == 1 then
      redis.call('ZADD', KEYS[2], 'NX', due, m)
      sooner[m] = due
      fate = done
    elseif order then
      redis.call('LREM', order, ARGV[3] == 'LPUSH' and 1 or -1, m)
    end
  end
  fates[#fates + 1] = fate
end
return {1, announce(KEYS[2], ARGV[1], sooner), fates}
