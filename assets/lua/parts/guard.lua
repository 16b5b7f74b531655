-- The part that every script begins with: whether it may begin at all.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines guard and refused
--
-- guard(wanted, needed, spare) is what the script answers when it may not begin, else nil.
--   wanted   what each key must be, in their order, when it is there. The answer to another type:
--            {0, k, type}
--   needed   the commands of the script, each with its key: {'LTRIM', key}. Lua does not roll back:
--            what this user may not do, or this server does not know, has to be found before
--            anything is done
--   spare    the number of a key: a sorted set that may be made for a moment, when it is not there
--
-- From Redis 7 on the server says what a user may do. An older one is asked to do each command in a
-- form that changes nothing, O(1) and whatever the key holds: mostly with an argument that it cannot
-- read and looks no further at; RPUSH and the like on a key of another type. (Keys that the user may
-- not touch EVAL itself has refused by then.) Where no key is of another type RPUSH is not tried:
-- such a script begins with it, or gives a spare key, with ZADD before RPUSH in `needed`.
--
-- For the older one the first of `needed` that writes is the first write of the script: it is after
-- that that a full server refuses it nothing more. So ZADD, LINSERT, LSET or RPUSH, which are refused
-- there, come first where the script shall be, and last where it shall not. One with `room` is there
-- for that alone, and need not be allowed: {'LINSERT', key, room = true}.
--
-- refused(answer, command, key) is what the script answers when redis.pcall of that command, before
-- anything was done, had an answer that is an error, else nil.

local guard, refused
do
  refused = function(answer, command, key)
    local words = type(answer) == 'table' and answer['err']
    if not words then
      return nil
    end
    -- Up to Redis 6 `@user_script: 12: -OOM …` stands there when a command was not even begun.
    words = string.gsub(string.gsub(words, '^@user_script: ?%d+: ', ''), '^%-', '')
    if string.find(words, '^%S* ?Unknown %a* ?command') then
      words = 'NOPERM this server runs no ' .. command .. ': the command is renamed or switched off'
    elseif string.find(words, 'The user executing the script', 1, true) or string.find(words, 'ACL failure', 1, true) then
      words = 'NOPERM this user may not run ' .. command .. (key and ' on ' .. key or '')
    end
    return redis.error_reply((string.gsub(words, '%s+$', '')))
  end

  -- What is in the way of a command on a server that says what a user may do.
  local function asked(command)
    if command.room then
      return nil
    end
    local known, may = pcall(redis.acl_check_cmd, unpack(command))
    if known and may then
      return nil
    end
    return refused({err = known and 'ACL failure' or 'Unknown Redis command'}, command[1], command[2])
  end

  local pushes = {LPUSH = true, RPUSH = true}

  -- The server knows no users, or does not say what they may do. (What only such a one needs is made
  -- there alone: it is made for each run of a script.)
  local another, tried, lend
  if not redis.acl_check_cmd then
    -- The arguments of those forms behind the key, each behind a comma: a table of their own would be
    -- made for each, and that takes as long as all that a transfer does that finds nothing.
    local forms = {
      EXISTS = '', LLEN = '', PTTL = '', TIME = '', TYPE = '',
      HGET = ',', ZSCORE = ',', LINDEX = ',x', LRANGE = ',1,0', ZRANGE = ',1,0',
      ZCOUNT = ',1,0', ZRANGEBYSCORE = ',1,0', ZREMRANGEBYRANK = ',1,0',
      ZADD = ',XX,INCR,0,', HSET = ',,,', LINSERT = ',x,,', LREM = ',x,',
      LSET = ',x,', LTRIM = ',x,x', PEXPIREAT = ',x',
    }
    -- The same where there is a key that is not there: a server counts errors, and this is none.
    local on_nothing = {
      LINDEX = ',0', LINSERT = ',BEFORE,,', LREM = ',1,', LTRIM = ',0,-1', PEXPIREAT = ',1',
    }
    -- What takes any argument, by the type that its key has.
    local types = {HDEL = 'hash', LPUSH = 'list', RPUSH = 'list', ZREM = 'zset'}
    -- What a server answers to those forms that would do the command.
    local willing = {
      '^WRONGTYPE ', '^ERR value is not ', '^ERR syntax error', '^ERR no such key',
      '^ERR wrong number of arguments',
    }

    -- A key that is there, and of another type.
    another = function(kinds, kind)
      for k, found in ipairs(kinds) do
        if found ~= kind and found ~= 'none' then return KEYS[k] end
      end
      return nil
    end

    -- A key that is not there.
    local function nothing(kinds)
      for k, found in ipairs(kinds) do
        if found == 'none' then return KEYS[k] end
      end
      return nil
    end

    local function does(command, key, form)
      local words = {command, key}
      for argument in string.gmatch(form, ',([^,]*)') do
        words[#words + 1] = argument
      end
      return redis.pcall(unpack(words))
    end

    -- Does a command in a form that changes nothing; nil when there is none.
    local function try(command, key, kinds)
      local missing = nothing(kinds)
      if command == 'PERSIST' then
        return nil
      elseif command == 'RENAME' or command == 'RENAMENX' then
        return redis.pcall(command, key, key)
      elseif missing and on_nothing[command] then
        return does(command, missing, on_nothing[command])
      elseif forms[command] then
        return does(command, key, forms[command])
      elseif not types[command] then
        return {err = 'ERR guard knows no harmless form of ' .. command}
      end
      local other = not pushes[command] and missing or another(kinds, types[command])
      if other or pushes[command] then
        return other and redis.pcall(command, other, '')
      end
      local member = ''
      while redis.call('ZSCORE', key, member) do
        member = member .. 'x'
      end
      return redis.pcall(command, key, member)
    end

    -- What is in the way of a command on a server that has to be asked to do it.
    tried = function(command, kinds)
      local name, key = command[1], command[2]
      local answer = try(name, key, kinds)
      for _, words in ipairs(willing) do
        if type(answer) == 'table' and string.find(answer['err'] or '', words) then
          return nil
        end
      end
      local refusal = refused(answer, name, key)
      if refusal and command.room and string.find(refusal['err'], '^NOPERM') then
        return nil
      end
      return refusal
    end

    -- Makes the spare key, which is of another type for each that adds to a list; or what is in the way.
    lend = function(spare, kinds)
      local refusal = tried({'ZREM', KEYS[spare]}, kinds)
      if not refusal then
        redis.call('ZADD', KEYS[spare], '0', '')
        kinds[spare] = 'zset'
      end
      return refusal
    end
  end

  guard = function(wanted, needed, spare)
    local kinds = {}
    for k, want in ipairs(wanted) do
      local answer = redis.pcall('TYPE', KEYS[k])
      local refusal = refused(answer, 'TYPE', KEYS[k])
      if refusal then return refusal end
      kinds[k] = answer['ok']
      if kinds[k] ~= want and kinds[k] ~= 'none' then
        return {0, k, kinds[k]}
      end
    end
    local refusal, lent
    for _, command in ipairs(needed or {}) do
      if redis.acl_check_cmd then
        refusal = asked(command)
      else
        if spare and pushes[command[1]] and not another(kinds, 'list') then
          refusal = lend(spare, kinds)
          lent = not refusal
        end
        refusal = refusal or tried(command, kinds)
      end
      if refusal then break end
    end
    if lent then
      redis.call('ZREM', KEYS[spare], '')
    end
    return refusal
  end
end
