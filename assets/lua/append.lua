-- Appends entries that wait, but are not in the order list, to its tail. Never twice, also when two
-- do it at once: it looks at whatever was appended since its caller has read the list.
--
-- KEYS     1 timeouts (sorted set)   2 order list (list)   3 its name while it is aside (list)
-- ARGV     1 1: an order list was aside when it was read, 0: none was
--          2 the last element of the order list when it was read, after an `l`; empty: it had none
--          3 1: look for each in the whole list (O(list) each): others may have moved it from where
--            the caller had not read yet to where it had. (Where the server has no LPOS, before 6.0.6,
--            a list of up to 50,000 is read for that, and a longer one is not.)
--          then the members, at most 1,900
-- returns  {0, k, type}              KEYS[k] holds a `type`; nothing was done
--          {1, again, {what, ...}}
--            again    1: the list is not the one that was read any more; nothing was done
--            what     of each member: 1 it was appended, 0 it does not wait any more, 2 it is in the
--                     order list already
--
-- Depends on nothing but the arguments and the keys. RPUSH is the only write. Part: guard.

local needed = {
  {'EXISTS', KEYS[3]}, {'LRANGE', KEYS[2]}, {'LLEN', KEYS[2]}, {'ZSCORE', KEYS[1]},
  {'RPUSH', KEYS[2]},
}
local refusal = guard({'zset', 'list', 'list'}, needed)
if refusal then return refusal end

local again = tostring(redis.call('EXISTS', KEYS[3])) ~= ARGV[1]
local since, seen = {}, ARGV[2] == ''
for _, element in ipairs(redis.call('LRANGE', KEYS[2], -2000, -1)) do
  since[element] = true
  seen = seen or element == string.sub(ARGV[2], 2)
end
if ARGV[2] == '' and redis.call('LLEN', KEYS[2]) > 2000 then
  seen = false
end
if again or not seen then
  return {1, 1, {}}
end

-- The whole list, where that is how members are looked for.
local all
local function is_listed(member)
  local at = redis.pcall('LPOS', KEYS[2], member)
  if type(at) ~= 'table' then
    return at
  end
  if not all then
    all = {}
    local length = redis.call('LLEN', KEYS[2])
    for first = 0, length <= 50000 and length - 1 or -1, 500 do
      for _, element in ipairs(redis.call('LRANGE', KEYS[2], first, first + 499)) do
        all[element] = true
      end
    end
  end
  return all[member]
end

local what, new = {}, {}
for i = 4, #ARGV do
  local member = ARGV[i]
  if since[member] then
    what[i - 3] = 2
  elseif not redis.call('ZSCORE', KEYS[1], member) then
    what[i - 3] = 0
  elseif ARGV[3] == '1' and is_listed(member) then
    what[i - 3] = 2
  else
    what[i - 3] = 1
    since[member] = true
    new[#new + 1] = member
  end
end
if #new > 0 then
  redis.call('RPUSH', KEYS[2], unpack(new))
end
return {1, 0, what}
