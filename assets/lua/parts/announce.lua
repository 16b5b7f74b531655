-- The part that tells transfer clients of a head that falls due earlier than what they know of.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines announce
--
-- announce(timeouts, channel, sooner) publishes the due time of the head when it is one of `sooner`:
-- by member, the score (decimal text) of what falls due earlier than before, or waits only now. Not
-- without a channel (''), nor what is no time: below 0, or from 1e17 on. One PUBLISH a script:
-- bursts of them make older Redisson clients late.
-- It answers 0: nothing to announce; 1: published; else why PUBLISH was refused, as text. By
-- pcall: the change is made, and an error would make it look as if it were not.

local function announce(timeouts, channel, sooner)
  local due = sooner[redis.call('ZRANGE', timeouts, 0, 0)[1] or '']
  if channel == '' or not due or tonumber(due) < 0 or tonumber(due) >= 1e17 then
    return 0
  end
  -- Clients read whole milliseconds.
  local answer = redis.pcall('PUBLISH', channel, string.match(due, '^%d+'))
  local refusal = refused(answer, 'PUBLISH', channel)
  return refusal and refusal['err'] or 1
end
