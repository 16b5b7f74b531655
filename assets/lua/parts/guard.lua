-- The part that every script begins with: whether it may begin at all.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines guard
--
-- guard(wanted, needed) is what the script answers when it may not begin, else nil.
--   wanted   what each key must be, in their order, when it is there. The answer to another type:
--            {0, k, type}
--   needed   a command of each kind that comes after the first write. Lua does not roll back: what
--            this user may not do has to be found before anything is done. (Redis 7 can say;
--            before, a right that is missing shows in the middle.)

local function guard(wanted, needed)
  for k, want in ipairs(wanted) do
    local kind = redis.call('TYPE', KEYS[k])['ok']
    if kind ~= want and kind ~= 'none' then
      return {0, k, kind}
    end
  end
  for _, command in ipairs(redis.acl_check_cmd and needed or {}) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM this user may not run ' .. command[1] .. ' on ' .. command[2])
    end
  end
  return nil
end
