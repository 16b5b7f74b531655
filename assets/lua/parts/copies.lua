-- The part that takes an entry out of the order list.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines take_out
--
-- take_out(order, m) takes all copies of m out of order, and is where one of them stood: 0 it
-- was not in it, 1 at its head, 2 where is not known (see place), or the member that it stood behind;
-- then how many copies there were. One that stays would be handed out by whoever polls the list, or
-- break off who cannot read it. Redisson up to 3.16.3 leaves a second one when an offer is repeated.
-- Part: place.

local function take_out(order, m)
  local length = redis.call('LLEN', order)
  local at = place(order, m, length)
  if at == nil then return 0, 0 end
  local behind = at and at > 0 and redis.call('LINDEX', order, at - 1)
  while behind == m do
    at = at - 1
    behind = at > 0 and redis.call('LINDEX', order, at - 1)
  end
  local copies = redis.call('LREM', order, 0, m)
  if not at then return 2, copies end
  return behind or 1, copies
end
