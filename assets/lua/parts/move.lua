-- The part that moves entries of a Redisson queue to its target.
--
-- KEYS     1 target (list)   2 timeouts (sorted set)   3 order list (list)   4 aside (list), where
--          the order list is while a change has set it aside: only with drain
-- ARGV     those of the script that it is part of
-- returns  nothing: it defines moves (what guard needs) and move
--
-- move(members, payloads, k, rank, drain)
--   members, payloads   k of each
--   rank                where members begin in timeouts when they stand there in a row, from 0;
--                       nil: not known, or they do not
--   drain               what was offered since the order list was set aside goes there too once it
--                       is more than 64, or it becomes a list that every LREM walks in vain
--
-- The RPUSH to target comes first, which a server that is full, a replica or may not write refuses,
-- and then nothing was done; what comes after it is never refused for want of memory.
--
-- Redisson takes each entry out of the order list by an LREM that walks from the head. Here what
-- stands at its head in a row, in whichever order, leaves by one LTRIM, and only the rest by LREM. As
-- with Redisson one copy of an entry leaves, the first: to look for a second one each would walk the
-- whole list. What is left of one that stood there twice is told as what only the order list holds.

local moves = {
  {'RPUSH', KEYS[1]}, {'LRANGE', KEYS[3]}, {'LTRIM', KEYS[3]}, {'LLEN', KEYS[3]}, {'LREM', KEYS[3]},
  {'ZREM', KEYS[2]}, {'ZREMRANGEBYRANK', KEYS[2]},
}

-- Nobody knows how large the elements are that stand in the order list behind those that leave: so many
-- are read at once, and as many as were found to leave before where the last of these leaves too; and
-- all of a list that is so short.
local first_read, short = 8, 64

local function move(members, payloads, k, rank, drain)
  if k == 0 then
    return
  end
  redis.call('RPUSH', KEYS[1], unpack(payloads))
  if drain and redis.call('LLEN', KEYS[3]) > 64 and redis.call('EXISTS', KEYS[4]) == 1 then
    redis.call('RPUSH', KEYS[4], unpack(redis.call('LRANGE', KEYS[3], 0, 1999)))
    redis.call('LTRIM', KEYS[3], 2000, -1)
  end
  -- What stands in due order costs a comparison each; what stands there in another order, as
  -- entries that are due at the same moment do, a look into a table.
  local row, left, list, rest, ended = 0, k, nil, nil, false
  repeat
    local count, at = math.min(math.max(row, first_read), left), 0
    if count > first_read then
      local last = redis.call('LRANGE', KEYS[3], row + count - 1, row + count - 1)[1]
      if last ~= members[row + count] and not (rest and rest[last or '']) then
        count = first_read
      end
    end
    list = redis.call('LRANGE', KEYS[3], row, row + count - 1)
    ended = #list < count
    while not rest and at < #list and list[at + 1] == members[row + at + 1] do
      at = at + 1
    end
    if not rest and at < #list then
      rest = {}
      for i = row + at + 1, k do
        rest[members[i]] = true
      end
    end
    while at < #list and rest[list[at + 1]] do
      at = at + 1
      rest[list[at]] = nil
    end
    row, left = row + at, left - at
  until ended or left == 0 or at < count
  if row > 0 then
    redis.call('LTRIM', KEYS[3], row, -1)
  end
  if not ended and left > 0 and redis.call('LLEN', KEYS[3]) <= short then
    list, ended = redis.call('LRANGE', KEYS[3], 0, -1), true
  end
  -- A list that was read to its end need not be walked for what is not in it.
  local from = ended and list or members
  for i = rest and left > 0 and 1 or #from + 1, #from do
    local m = from[i]
    if rest[m] then
      rest[m] = nil
      redis.call('LREM', KEYS[3], 1, m)
    end
  end
  if rank then
    redis.call('ZREMRANGEBYRANK', KEYS[2], rank, rank + k - 1)
  else
    redis.call('ZREM', KEYS[2], unpack(members))
  end
end
