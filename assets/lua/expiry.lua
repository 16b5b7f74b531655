-- Takes the expiry of keys away, or gives it back.
--
-- KEYS     keys of any type
-- ARGV     for each key: 1 when it is thought to expire (epoch ms; inf: never)   2 when it shall
-- returns  {1, {fate, ...}}   of each key: done, gone (there is no such key), no_frame (that moment
--                             has passed: the key would be lost; nothing was done), or the other
--                             moment (text; inf) when it expires
--
-- Depends on the server's clock. A moment is the same within a second. A key that expires already
-- when it shall is done. PERSIST comes first: it alone has no form that guard could try on an old
-- server. Parts: guard, chosen.

local needed = {{'TIME'}}
for _, key in ipairs(KEYS) do
  needed[#needed + 1] = {'PTTL', key}
  needed[#needed + 1] = {'PEXPIREAT', key}
  needed[#needed + 1] = {'PERSIST', key}
end
local refusal = guard({}, needed)
if refusal then return refusal end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function same(one, other)
  return one == other or math.abs(one - other) <= 1000
end

local fates, expire = {}, {}
for i, key in ipairs(KEYS) do
  local thought, wanted = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local left = redis.call('PTTL', key)
  local expires = left < 0 and math.huge or now + left
  if left == -2 then
    fates[i] = gone
  elseif same(expires, wanted) then
    fates[i] = done
  elseif not same(expires, thought) then
    fates[i] = left < 0 and 'inf' or string.format('%.0f', expires)
  elseif wanted == math.huge then
    refusal = refused(redis.pcall('PERSIST', key), 'PERSIST', key)
    if refusal then return refusal end
    fates[i] = done
  elseif wanted <= now + 1000 then
    fates[i] = no_frame
  else
    expire[#expire + 1] = i
    fates[i] = done
  end
end
for _, i in ipairs(expire) do
  redis.call('PEXPIREAT', KEYS[i], ARGV[2 * i])
end
return {1, fates}
