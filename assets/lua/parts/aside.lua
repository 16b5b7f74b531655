-- The part that keeps away from a queue whose order list is set aside.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines is_aside
--
-- is_aside(aside) is the answer to who wants to add to the order list, or change what is in it,
-- while `aside` exists, else nil. What is in there may be what the caller adds: when it is brought
-- back such an entry would stand in the order list twice, and be handed out twice.

local function is_aside(aside)
  if aside and redis.call('EXISTS', aside) == 1 then
    return redis.error_reply('ASIDE a bulk change has set the order list aside; bring it back first')
  end
  return nil
end
