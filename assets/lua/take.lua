-- Takes the next element for a consumer: out of target into what is held, where it stays until the
-- consumer says that it has handed it on. Asked for again by the same field, it is the same one.
--
-- KEYS     1 target (list)   2 intake (list): elements that the server moved there for a consumer
--          that waited   3 held (hash): field to element   4 leases (sorted set): field to the
--          moment until which its consumer lives, in ms
-- ARGV     1 `LPOP` or `RPOP`: from that end of target consumers take   2 for how long the lease
--          runs, in ms   3 the field that is handed on, and held no more (empty: none)   4 the field
--          to take into (empty: nothing is taken)
-- returns  {0, k, type}              KEYS[k] holds a `type`; nothing was done
--          {1, released, element}    released: 1 when that field was held till now, else 0; the
--                                    element, or false when there is none
--
-- Depends on the clock beside the arguments and the keys, so what it did is replicated, not the
-- script. What is in the intake was first in target, and is taken first. An element is held before
-- it leaves the list. The first LTRIM changes nothing, but it is a write: after it a full server lets
-- the rest pass, which needs no more memory. Without an element and a field nothing is written.
-- Part: guard.

local target, intake, held, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local pop, lease, handed_on, field = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local needed = {
  {'TIME'}, {'LINDEX', target}, {'LINDEX', intake}, {'LTRIM', target}, {'LTRIM', intake},
  {'HGET', held}, {'HDEL', held}, {'HSET', held}, {'ZADD', leases}, {'ZREM', leases},
}
local refusal = guard({'list', 'list', 'hash', 'zset'}, needed)
if refusal then return refusal end
if redis.replicate_commands then redis.replicate_commands() end

local released = 0
if handed_on ~= '' then
  released = redis.call('HDEL', held, handed_on)
  redis.call('ZREM', leases, handed_on)
end
if field == '' then
  return {1, released, false}
end
local element = redis.call('HGET', held, field)
local from, first, last
if not element then
  element, from, first, last = redis.call('LINDEX', intake, 0), intake, 1, -1
  if not element and pop == 'RPOP' then
    element, from, first, last = redis.call('LINDEX', target, -1), target, 0, -2
  elseif not element then
    element, from, first, last = redis.call('LINDEX', target, 0), target, 1, -1
  end
end
if not element then
  return {1, released, false}
end
redis.call('LTRIM', from or intake, 0, -1)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', leases, string.format('%.0f', now + lease), field)
if from then
  redis.call('HSET', held, field, element)
  redis.call('LTRIM', from, first, last)
end
return {1, released, element}
