-- Puts elements back to the end of target where the next consumer takes them: elements that are held
-- for consumers that live no more, or for the caller, and elements of the intake.
--
-- KEYS     1 target (list)   2 intake (list)   3 held (hash)   4 leases (sorted set): see take.lua
-- ARGV     1 `LPUSH` or `RPUSH`: to that end   2 the field that is the caller's own, whose lease does
--          not matter (empty: none)
--          then, for each element, the one to be taken first last: its field in held (empty: it is in
--          the intake), and the element. At most 950.
-- returns  {0, k, type}        KEYS[k] holds a `type`; nothing was done
--          {1, {fate, ...}}    of each element: done, gone (see chosen), or the moment until which
--                              its consumer lives, in ms (text)
--
-- Depends on the clock beside the arguments and the keys, so what it did is replicated, not the
-- script. The first LTRIM changes nothing, but it is a write: after it a full server lets the rest
-- pass, which needs no more memory. Parts: guard, chosen.

local target, intake, held, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local push, own = ARGV[1], ARGV[2]
local needed = {
  {'TIME'}, {'LTRIM', intake}, {'LREM', intake}, {'HGET', held}, {'HDEL', held},
  {'ZSCORE', leases}, {'ZREM', leases}, {'ZADD', leases}, {push, target},
}
local refusal = guard({'list', 'list', 'hash', 'zset'}, needed, 4)
if refusal then return refusal end
if redis.replicate_commands then redis.replicate_commands() end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('LTRIM', intake, 0, -1)
-- Each command that comes below once where it changes nothing: a right that is missing shows here.
local mark = 'delayscope: tried before it goes'
redis.call(push, intake, mark)
redis.call('LTRIM', intake, push == 'LPUSH' and 1 or 0, push == 'LPUSH' and -1 or -2)
redis.call('LREM', intake, -1, mark)
redis.call('HDEL', held, '')
redis.call('ZREM', leases, '')

-- The fate of an element that is held.
local function let_go(field)
  local element = redis.call('HGET', held, field)
  if not element then return gone end
  local lives = field ~= own and redis.call('ZSCORE', leases, field)
  if lives and tonumber(lives) > now then return lives end
  redis.call(push, target, element)
  redis.call('HDEL', held, field)
  redis.call('ZREM', leases, field)
  return done
end

local fates = {}
for i = 3, #ARGV, 2 do
  local fate
  if ARGV[i] ~= '' then
    fate = let_go(ARGV[i])
  elseif redis.call('LREM', intake, -1, ARGV[i + 1]) == 1 then
    redis.call(push, target, ARGV[i + 1])
    fate = done
  else
    fate = gone
  end
  fates[#fates + 1] = fate
end
return {1, fates}
