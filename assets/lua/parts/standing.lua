-- The part that tells where elements of target stand, of which many may be equal.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines nth and stands
--
-- `from` is the end of the list that is counted from, where new elements come: -1 its tail, 1 its head.
--
-- nth(list, m, n, from) is the index, from the head, of the n-th element that is equal to m: nil when
-- there are fewer, false when that is not known.
--
-- stands(list, m, from) is where the first element stands that is equal to m: the element behind which
-- it is, as consumers take, and the how manieth of its equals that is once m has left; 1 when m is the
-- one that a consumer takes next, 2 when that is not known, nil when there is none.

-- How many elements may be read in search of places where the server has no LPOS (before 6.0.6).
local readable = 10000
-- How many equal elements are told apart.
local most_equal = 1000

local function nth(list, m, n, from)
  local at = redis.pcall('LPOS', list, m, 'RANK', from * n)
  if type(at) ~= 'table' then return at or nil end
  local length, read = redis.call('LLEN', list), 0
  while read < length do
    if readable <= 0 then return false end
    local count = math.min(500, length - read)
    local first = from < 0 and length - read - count or read
    local some = redis.call('LRANGE', list, first, first + count - 1)
    for i = 1, count do
      local k = from < 0 and count + 1 - i or i
      if some[k] == m then
        n = n - 1
        if n == 0 then return first + k - 1 end
      end
    end
    read, readable = read + count, readable - count
  end
  return nil
end

-- The how manieth of elements that are equal to m stands at that index; nil when that is not known.
local function which(list, m, at, from)
  local reach = from < 0 and redis.call('LLEN', list) - at or at + 1
  local equal = redis.pcall('LPOS', list, m, 'RANK', from, 'COUNT', most_equal, 'MAXLEN', reach)
  if not equal.err then
    return equal[#equal] == at and #equal or nil
  end
  local n, found = 0
  repeat
    n = n + 1
    found = nth(list, m, n, from)
  until not found or found == at
  return found and n
end

local function stands(list, m, from)
  local at = nth(list, m, 1, from)
  if not at then return at == false and 2 or nil end
  local before = at + from
  local neighbour = before >= 0 and redis.call('LINDEX', list, before)
  if not neighbour then return 1 end
  if neighbour == m then return m, 1 end
  local n = which(list, neighbour, before, from)
  if not n then return 2 end
  return neighbour, n
end
