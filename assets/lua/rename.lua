-- Renames what has taken keys of a queue, or renames it back.
--
-- KEYS     for each: its name, its other name (of any types)
-- ARGV     for each: the type that it must not have, since it would be what belongs there; empty:
--          it may have any
-- returns  {1, {fate, ...}}   of each: done, gone (there is no such key), no_frame (the other name is
--                             in use; nothing was done), or '0' (it has that type; nothing was done)
--
-- Depends on nothing but the keys. What expires goes on doing so. Parts: guard, chosen.

local needed = {}
for i = 1, #KEYS, 2 do
  needed[#needed + 1] = {'TYPE', KEYS[i]}
  needed[#needed + 1] = {'RENAMENX', KEYS[i], KEYS[i + 1]}
end
local refusal = guard({}, needed)
if refusal then return refusal end

local fates = {}
for i, right in ipairs(ARGV) do
  local from, to = KEYS[2 * i - 1], KEYS[2 * i]
  local kind = redis.call('TYPE', from)['ok']
  if kind == 'none' then
    fates[i] = gone
  elseif kind == right then
    fates[i] = '0'
  elseif redis.call('RENAMENX', from, to) == 1 then
    fates[i] = done
  else
    fates[i] = no_frame
  end
end
return {1, fates}
