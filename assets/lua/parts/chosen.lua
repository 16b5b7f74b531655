-- The part that tells whether a chosen entry is still what was chosen.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines done, gone, no_frame and otherwise
--
-- otherwise(timeouts, member, score) is nil when member waits with that score (decimal text), gone
-- when it does not wait, else the score that it has (text). Compared as numbers: there are several
-- texts for one score.
--
-- Of each entry a script answers done, gone, no_frame (what was chosen is there, but has no payload
-- that could be taken out), or the other score.

local gone, done, no_frame = 0, 1, 2

local function otherwise(timeouts, member, score)
  local found = redis.call('ZSCORE', timeouts, member)
  if not found then
    return gone
  end
  -- Mostly one text: two numbers less to read.
  if found ~= score and tonumber(found) ~= tonumber(score) then
    return found
  end
  return nil
end
