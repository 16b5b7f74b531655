-- The part that tells which of many elements wait in timeouts.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines waiting
--
-- waiting(timeouts, elements) has something true at the place of each element (1 to 2,000) that waits.

local function waiting(timeouts, elements)
  -- One command for all of them costs two thirds. Servers before 6.2 do not have it, others may not
  -- know its name, and nobody needs the right to it.
  local known, may = true, true
  if redis.acl_check_cmd then
    known, may = pcall(redis.acl_check_cmd, 'ZMSCORE', timeouts, '')
  end
  if known and may then
    local waits = redis.pcall('ZMSCORE', timeouts, unpack(elements))
    if not waits['err'] then return waits end
  end
  local waits = {}
  for i, element in ipairs(elements) do
    waits[i] = redis.call('ZSCORE', timeouts, element)
  end
  return waits
end
