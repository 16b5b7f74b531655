-- The part that tells where an entry stands in the order list.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines place
--
-- place(order, m, length) is where m stands in order, which is so long, from 0: nil when it does not,
-- false when that is not known. It is looked for from both ends at once, further and further, so that
-- what stands near either of them is found soon; nothing else tells where it stands, not even when
-- it falls due. Of copies the one that is nearest to an end is told.

-- How many elements may be read in search of places where the server has no LPOS (before 6.0.6).
local readable = 10000

local function place(order, m, length)
  local reach, half = 512, math.ceil(length / 2)
  while length > 0 do
    reach = math.min(reach, half)
    local at = redis.pcall('LPOS', order, m, 'RANK', 1, 'MAXLEN', reach)
    if type(at) == 'table' then break end
    at = at or redis.call('LPOS', order, m, 'RANK', -1, 'MAXLEN', reach)
    if at or reach == half then return at or nil end
    reach = reach * 8
  end
  local read = 0
  while read < half do
    if readable <= 0 then return false end
    local count = math.min(500, half - read)
    local head = redis.call('LRANGE', order, read, read + count - 1)
    local first = length - read - count
    local tail = redis.call('LRANGE', order, first, first + count - 1)
    for i = 1, count do
      if head[i] == m then return read + i - 1 end
      if tail[count + 1 - i] == m then return first + count - i end
    end
    read, readable = read + count, readable - 2 * count
  end
  return nil
end
