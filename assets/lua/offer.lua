-- Offers entries to a Redisson queue, as Redisson's own offer does: ZADD, RPUSH, and PUBLISH of the
-- due time when a new entry is the head. The members are whole frames; who calls has built them.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)
-- ARGV     1 channel   then, for each entry: its due time (ms, decimal text), its frame.
--          At most 1,900 entries, so that the arguments stay below 4,000.
-- returns  {0, k, type}             KEYS[k] holds a `type`; nothing was done
--          {1, head, {i, ...}}      done, save for the entries numbered i (from 1), which were there
--                                   already and were left as they are.
--                                   head: 0  no new entry is the head
--                                         1  one is, and its due time was published
--                                   or the server's words, as text: one is, and PUBLISH was refused
--
-- Nothing here depends on anything but the arguments and the keys, so the script may be replicated
-- as it is (Redis 5 and 6) or by its effects. The first write is ZADD: a server that is full, a
-- replica or may not write refuses that one, and then nothing was done. (Where nothing waits it is
-- the first RPUSH: there is no key to try it on.) ZADD NX, and RPUSH only for
-- what it added: an entry that is offered twice by mistake never stands twice in the order list.
-- One PUBLISH a call, of the final head: bursts of them make older Redisson clients late.
-- Part: guard.

local needed = {
  {'EXISTS', KEYS[1]}, {'ZADD', KEYS[1]}, {'RPUSH', KEYS[2]}, {'ZRANGE', KEYS[1]},
}
local refusal = guard({'zset', 'list'}, needed)
if refusal then return refusal end

local pushed = redis.call('EXISTS', KEYS[1]) == 0 and ARGV[3]
if pushed then
  refusal = refused(redis.pcall('RPUSH', KEYS[2], pushed), 'RPUSH', KEYS[2])
  if refusal then return refusal end
end
local due, there = {}, {}
for i = 2, #ARGV, 2 do
  local member = ARGV[i + 1]
  if redis.call('ZADD', KEYS[1], 'NX', ARGV[i], member) == 1 then
    if i > 2 or not pushed then
      redis.call('RPUSH', KEYS[2], member)
    end
    due[member] = ARGV[i]
  else
    there[#there + 1] = i / 2
  end
end

local head = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
if not head or not due[head] then
  return {1, 0, there}
end
-- pcall: the entries are in. An error here would make an offer that happened look like one that
-- did not, and be made again.
local answer = redis.pcall('PUBLISH', ARGV[1], due[head])
refusal = refused(answer, 'PUBLISH', ARGV[1])
return {1, refusal and refusal['err'] or 1, there}
