-- Renews the lease of a consumer on the element that it holds, unless it holds it no more.
--
-- KEYS     1 leases (sorted set): see take.lua
-- ARGV     1 for how long it runs from now on, in ms   2 the field of the element
-- returns  {0, 1, type}     KEYS[1] holds a `type`; nothing was done
--          {1}              done
--
-- Depends on the clock beside the arguments and the keys, so what it did is replicated, not the
-- script. ZREM changes nothing, but it is a write: after it a full server lets ZADD pass. Part: guard.

local leases, lease, field = KEYS[1], ARGV[1], ARGV[2]
local refusal = guard({'zset'}, {{'TIME'}, {'ZSCORE', leases}, {'ZREM', leases}, {'ZADD', leases}})
if refusal then return refusal end
if redis.replicate_commands then redis.replicate_commands() end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', leases, '')
redis.call('ZADD', leases, 'XX', string.format('%.0f', now + lease), field)
return {1}
