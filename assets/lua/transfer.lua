-- Moves what is due from timeouts to target, for all four frame forms side by side, beside any
-- number of Redisson clients. What is no frame is left where it is and said; it stops nothing.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)
-- ARGV     1 now: due is what has a score from 0 to now (ms of the server's clock, decimal text)
--          2 n: move at most so many, 1 to 2,000
--          3 known: how many due members the caller knows to be no frames. So many more are
--            looked at, or else they would come to fill every batch
-- returns  {0, k, type}       KEYS[k] holds a `type`; nothing was done
--          {1, more, next, {id, score, ...}, {id, ...}, {id, score, ...}}
--            more     1 when not all that is due was looked at: call again
--            next     the score of the first entry that falls due later; empty when there is none
--            moved    id (8 bytes) and score (text) of each entry moved, in due order
--            skipped  of each due member that is no frame: 16 hex digits of its SHA-1
--            never    entries that are never due, with their scores: below 0, or from 1e17 on
--                     (at most 100 of each kind); an id of 8 bytes or of 16 hex digits, as above
--
-- Nothing here depends on anything but the arguments and the keys, so the script may be replicated
-- as it is (Redis 5 and 6) or by its effects. Lua does not roll back, hence the order: RPUSH comes
-- first, which a server that is full, a replica or may not write refuses, and then nothing was
-- done; the removals after it are never refused for want of memory.
--
-- Redisson takes each entry out of the order list by an LREM that walks from the head. Here what
-- stands at its head in a row, in whichever order, leaves by one LTRIM, and only the rest by LREM.

local wanted = {'list', 'zset', 'list'}
for k = 1, 3 do
  local kind = redis.call('TYPE', KEYS[k])['ok']
  if kind ~= wanted[k] and kind ~= 'none' then
    return {0, k, kind}
  end
end

-- Lua does not roll back: what this user may not do has to be found before anything is done.
-- (Redis 7 can say; before, a right that is missing shows in the middle.)
for _, needed in ipairs(redis.acl_check_cmd and {{'LTRIM', KEYS[3], '0', '-1'}, {'LREM', KEYS[3], '1', ''}, {'ZREM', KEYS[2], ''}} or {}) do
  if not redis.acl_check_cmd(unpack(needed)) then
    return redis.error_reply('NOPERM this user may not run ' .. needed[1] .. ' on ' .. needed[2])
  end
end

local byte, sub = string.byte, string.sub

-- Whether the little-endian number of `width` bytes after the first `at` bytes of m is `value`.
local function holds(m, at, width, value)
  local a, b, c, d, e, f, g, h = byte(m, at + 1, at + width)
  return a + b * 256 + c * 65536 + d * 16777216 == value
    and (width == 4 or (e == 0 and f == 0 and g == 0 and h == 0))
end

-- The length of the header of frame m and where its id starts; nil when it is no frame. A form
-- fits when its length field accounts for every byte. The same verdicts as queue/frame.rs: where
-- both eras fit (17 or 13 bytes, the first of them 8), it is of the older one if its id looks like
-- a random long made a double.
local function header(m)
  local n = #m
  for width = 8, 4, -4 do
    local newer = n >= 9 + width and byte(m, 1) == 8 and holds(m, 9, width, n - 9 - width)
    -- Both can fit only where the newer one has no payload.
    local older = (not newer or n == 9 + width)
      and n >= 8 + width and holds(m, 8, width, n - 8 - width)
    if newer and older then
      local sixth, seventh = byte(m, 7, 8)
      newer = not ((seventh == 67 or seventh == 195) and sixth < 224)
    end
    if newer then return 9 + width, 2 end
    if older then return 8 + width, 1 end
  end
  return nil
end

local function id(m)
  local long, at = header(m)
  if long then return sub(m, at, at + 7) end
  return sub(redis.sha1hex(m), 1, 16)
end

local n = math.min(tonumber(ARGV[2]), 2000)
local look = n + tonumber(ARGV[3])
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '0', ARGV[1], 'WITHSCORES', 'LIMIT', 0, look)

local k, members, payloads, moved, skipped = 0, {}, {}, {}, {}
for i = 1, #due, 2 do
  local m = due[i]
  local long, at = header(m)
  if not long then
    skipped[#skipped + 1] = sub(redis.sha1hex(m), 1, 16)
  elseif k < n then
    -- Counted, since # looks for the end of a table each time: a sixth less server time.
    k = k + 1
    members[k] = m
    payloads[k] = sub(m, long + 1)
    moved[2 * k - 1] = sub(m, at, at + 7)
    moved[2 * k] = due[i + 1]
  end
end

if k > 0 then
  redis.call('RPUSH', KEYS[1], unpack(payloads))
  -- What stands in due order costs a comparison each; what stands there in another order, as
  -- entries that are due at the same moment do, a look into a table.
  local list = redis.call('LRANGE', KEYS[3], 0, k - 1)
  local row = 0
  while row < k and list[row + 1] == members[row + 1] do
    row = row + 1
  end
  local rest = {}
  for i = row + 1, k do
    rest[members[i]] = true
  end
  while rest[list[row + 1] or ''] do
    row = row + 1
    rest[list[row]] = nil
  end
  if row > 0 then
    redis.call('LTRIM', KEYS[3], row, -1)
  end
  if row < k then
    for _, m in ipairs(members) do
      if rest[m] then
        redis.call('LREM', KEYS[3], 1, m)
      end
    end
  end
  redis.call('ZREM', KEYS[2], unpack(members))
end

local more, following = 0, ''
if #due / 2 == look then
  more = 1
else
  following = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '(1e17', 'WITHSCORES', 'LIMIT', 0, 1)[2] or ''
end

local never = {}
for _, span in ipairs({{'-inf', '(0'}, {'1e17', '+inf'}}) do
  local out = redis.call('ZRANGEBYSCORE', KEYS[2], span[1], span[2], 'WITHSCORES', 'LIMIT', 0, 100)
  for i = 1, #out, 2 do
    never[#never + 1] = id(out[i])
    never[#never + 1] = out[i + 1]
  end
end
return {1, more, following, moved, skipped, never}
