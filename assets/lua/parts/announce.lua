-- The part that tells transfer clients of a head that falls due earlier than what they know of.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines head and announce
--
-- head(timeouts)   the first member and its score, as text
-- announce(timeouts, channel, sooner, member, score)
--   sooner          by member: those that fall due earlier than before, or wait only now
--   member, score   the head before the first write
--   Publishes the due time of the head when it is one of these and was not the head then. One
--   PUBLISH a script: bursts of them make older Redisson clients late. Without a channel (''):
--   nothing. Answers 0: nothing to announce; 1: published; else the server's words: PUBLISH was
--   refused. By pcall: the change is made, and an error would make it look as if it were not.

local function head(timeouts)
  local found = redis.call('ZRANGE', timeouts, 0, 0, 'WITHSCORES')
  return found[1], found[2]
end

local function announce(timeouts, channel, sooner, member, score)
  local first, due = head(timeouts)
  if channel == '' or not first or not sooner[first] or (first == member and due == score) then
    return 0
  end
  local answer = redis.pcall('PUBLISH', channel, sooner[first])
  if type(answer) == 'table' and answer['err'] then
    return answer['err']
  end
  return 1
end
