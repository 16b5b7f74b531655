-- The part that lets the head of the order list go round to its tail.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines go_round
--
-- go_round(order, n, kept, k, changed) takes the first n elements of order and puts the k in kept behind
-- the others; a list that would be the same afterwards is left alone, unless `changed`: one of them has
-- other bytes. Answers what the script answers when it may not, else nil. The first LTRIM changes
-- nothing, but it is a write: after it a full server lets the rest pass. Part: guard.

local function go_round(order, n, kept, k, changed)
  if n == 0 or not changed and k == n and n == redis.call('LLEN', order) then
    return nil
  end
  redis.call('LTRIM', order, 0, -1)
  if k > 0 then
    -- Where nothing waits it could not be tried: then it is the first change.
    local refusal = refused(redis.pcall('RPUSH', order, unpack(kept)), 'RPUSH', order)
    if refusal then return refusal end
  end
  redis.call('LTRIM', order, n, -1)
  return nil
end
