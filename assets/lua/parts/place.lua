-- The part that tells where an entry stands in the order list.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines place
--
-- place(order, m, length, from_tail) is where m stands in order, which is so long, from 0: nil when
-- it does not, false when that is not known. The list is walked from the end where m is likely to be
-- nearer: what falls due late was mostly offered late. Of copies that nearest to this end is told.

-- How many elements may be read in search of places where the server has no LPOS (before 6.0.6).
local readable = 10000

local function place(order, m, length, from_tail)
  local at = redis.pcall('LPOS', order, m, 'RANK', from_tail and -1 or 1)
  if type(at) ~= 'table' then
    return at or nil
  end
  local read = 0
  while read < length do
    if readable <= 0 then return false end
    local count = math.min(500, length - read)
    local first = from_tail and length - read - count or read
    local page = redis.call('LRANGE', order, first, first + count - 1)
    for i = from_tail and count or 1, from_tail and 1 or count, from_tail and -1 or 1 do
      if page[i] == m then return first + i - 1 end
    end
    read, readable = read + count, readable - count
  end
  return nil
end
