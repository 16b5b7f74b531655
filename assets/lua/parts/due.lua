-- The part that reads what is due, and passes what is no frame.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines read_due
--
-- read_due(timeouts, now, n, bytes, cursor, take, pass) reads at most n frames with a score up to now,
-- from the cursor on, in due order, and calls take(member, score, length of its header, where its id
-- starts) with each: all of these must be moved. What is no frame stays, and is told to pass(member).
-- Taken and passed together have at most so many bytes, or it is a single member. Returned:
--   cursor   where to go on, or else what stays would be looked at for every batch: behind the last
--            member that was passed. It has text; at the beginning none
--   more     whether not all that is due was looked at
--   rank     where the frames begin in timeouts, from 0, when they stand there in a row; else nil
--   ahead    how many members with a score from 0 on stand before the cursor that was given
--
-- A cursor has a score, how many members of that score were passed, and a mark of the last of them. If
-- that does not stand there any more, others have taken some away or added some: then those of that
-- score are looked at again, so that none that is good is passed. What others add before a cursor is
-- seen by more of them being ahead than were left there, and found by who begins again.
--
-- Parts: frame, rows.

-- No more members are passed in a script: it ends with the last of them.
local most_passed = 500

-- A member is not kept whole, since it may be large.
local function mark(m)
  if #m <= 512 then return m end
  return sub(m, 1, 256) .. sub(m, -256) .. #m
end

local function read_due(timeouts, now, n, bytes, cursor, take, pass)
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
  local ahead = cursor == '' and 0 or at - redis.call('ZCOUNT', timeouts, '-inf', '(0')
  local first, taken, passed = at, 0, 0
  local function look(m, due_at)
    local long, start = header(m)
    if long then
      taken = taken + 1
      take(m, due_at, long, start)
      return n - taken
    end
    passed = passed + 1
    pass(m)
    if tonumber(due_at) ~= tonumber(score) then
      score, count = due_at, 0
    end
    count, last = count + 1, m
    return passed < most_passed and n - taken or 0
  end
  at = read_rows(timeouts, at, due, n, bytes, look)
  if passed > 0 then
    return score .. ' ' .. count .. ' ' .. mark(last), at < due, nil, ahead
  end
  return cursor, at < due, first, ahead
end
