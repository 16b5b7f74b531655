-- The part that reads what is due, and passes what is no frame.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines read_due
--
-- read_due(timeouts, now, n, cursor, take, pass) reads at most n frames with a score up to now, from the
-- cursor on, in due order, and calls take(member, score, length of its header, where its id starts) with
-- each: all of these must be moved. What is no frame stays, and is told to pass(member). Returned:
--   cursor   where to go on, or else what stays would be looked at for every batch: behind the last
--            member that was passed. It has text; at the beginning none
--   more     whether not all that is due was looked at
--   rank     where the frames begin in timeouts, from 0, when they stand there in a row; else nil
--
-- A cursor has a score, how many members of that score were passed, and a mark of the last of them. If
-- that does not stand there any more, others have taken some away or added some: then those of that
-- score are looked at again, so that none that is good is passed. What others add before a cursor is
-- found by who begins again.
--
-- Part: frame.

-- So many members, and bytes of them, are passed in a script at most: it ends then.
local most_passed, most_passed_bytes = 500, 1000000

-- A member is not kept whole, since it may be large.
local function mark(m)
  if #m <= 512 then return m end
  return sub(m, 1, 256) .. sub(m, -256) .. #m
end

local function read_due(timeouts, now, n, cursor, take, pass)
  local score, count, last = string.match(cursor, '^(%S+) (%d+) (.*)$')
  score, count = score or '0', tonumber(count or 0)
  local at = redis.call('ZCOUNT', timeouts, '-inf', '(' .. score)
  local due = redis.call('ZCOUNT', timeouts, '-inf', now)
  if count > 0 then
    local found = redis.call('ZRANGE', timeouts, at + count - 1, at + count - 1, 'WITHSCORES')
    if found[1] and mark(found[1]) == last and tonumber(found[2]) == tonumber(score) then
      at = at + count
    else
      count = 0
    end
  end
  local first, taken, passed, bytes = at, 0, 0, 0
  while at < due and taken < n and passed < most_passed and bytes < most_passed_bytes do
    local rows = redis.call('ZRANGE', timeouts, at, math.min(at + n - taken, due) - 1, 'WITHSCORES')
    for i = 1, #rows, 2 do
      local m = rows[i]
      local long, start = header(m)
      if long then
        taken = taken + 1
        take(m, rows[i + 1], long, start)
      else
        passed, bytes = passed + 1, bytes + #m
        pass(m)
        if tonumber(rows[i + 1]) ~= tonumber(score) then
          score, count = rows[i + 1], 0
        end
        count, last = count + 1, m
      end
    end
    at = at + #rows / 2
  end
  if passed > 0 then
    return score .. ' ' .. count .. ' ' .. mark(last), at < due
  end
  return cursor, at < due, first
end
