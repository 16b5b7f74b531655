-- The part that reads members of timeouts page by page, and ends where they are too many bytes.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines read_rows
--
-- read_rows(timeouts, at, last, n, bytes, look) calls look(member, score) with what stands in timeouts
-- from rank `at` on, in due order, and returns the rank behind the last one that it was called with.
--   last    the first rank that is not looked at any more
--   n       at most so many are looked at; then as many as look answered, 0: none
--   bytes   the members looked at have no more bytes, but for a single one
--
-- How long a member is nobody knows before it was read, and what is read costs nearly as much as what
-- is moved. The first page is short; a later one is as long as fits if its members are like those of
-- the page before, and short too, since they may not be like them. The last of a page is read by
-- itself first: where that is large, half of the page is tried.

-- So many members are read at once, at first and at most.
local first_page, longest_page = 4, 8

local function read_rows(timeouts, at, last, n, bytes, look)
  local first, page, large = at, first_page, last
  while n > 0 and bytes > 0 and at < last do
    -- Up to the first that is known to be large, which is read alone.
    local count = math.min(page, n, at < large and large - at or 1)
    while count > 1 and #redis.call('ZRANGE', timeouts, at + count - 1, at + count - 1)[1] * count > bytes do
      large = at + count - 1
      count = math.floor(count / 2)
    end
    local rows = redis.call('ZRANGE', timeouts, at, at + count - 1, 'WITHSCORES')
    local before = bytes
    for i = 1, #rows, 2 do
      local m = rows[i]
      bytes = bytes - #m
      if bytes < 0 and at > first then return at end
      at = at + 1
      n = look(m, rows[i + 1])
      if n <= 0 then return at end
    end
    if at > large then large = last end
    local each = math.max(1, (before - bytes) / (#rows / 2))
    page = math.max(1, math.min(longest_page, math.floor(bytes / each)))
  end
  return at
end
