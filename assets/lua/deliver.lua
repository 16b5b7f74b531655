-- Delivers chosen entries of a Redisson queue, due or not, in the order given.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list)
-- ARGV     1 drain: 1 when the caller has set the order list aside: see move
--          then, for each entry: its score (decimal text), its member. At most 950 entries.
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}   of each entry: done, gone, no_frame or its other score (see chosen)
--
-- Nothing here depends on anything but the arguments and the keys. Parts: guard, chosen, frame, move.

local needed = {{'ZSCORE', KEYS[2]}, {'LLEN', KEYS[3]}, {'EXISTS', KEYS[4]}, unpack(moves)}
local refusal = guard({'list', 'zset', 'list', 'list'}, needed)
if refusal then return refusal end

local k, members, payloads, fates, taken = 0, {}, {}, {}, {}
for i = 2, #ARGV, 2 do
  local m = ARGV[i + 1]
  -- Nothing is removed before all are looked at: the same entry twice would go to target twice.
  local fate = taken[m] and gone or otherwise(KEYS[2], m, ARGV[i])
  if not fate then
    local long = header(m)
    if long then
      k = k + 1
      members[k] = m
      payloads[k] = sub(m, long + 1)
      taken[m] = true
    end
    fate = long and done or no_frame
  end
  fates[i / 2] = fate
end
move(members, payloads, k, nil, ARGV[1] == '1')
return {1, fates}
