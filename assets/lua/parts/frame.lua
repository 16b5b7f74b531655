-- The part that tells a frame from what is none.
--
-- KEYS     those of the script that it is part of
-- ARGV     the same
-- returns  nothing: it defines header
--
-- header(m) is the length of the header of frame m and where its id starts; nil when m is no frame.
-- A form fits when its length field accounts for every byte. The same verdicts as queue/frame.rs:
-- where both eras fit (17 or 13 bytes, the first of them 8), it is of the older one if its id looks
-- like a random long made a double.

local byte, sub = string.byte, string.sub

-- Length fields as they stand in a frame, by their width and by what they count: a slice of the
-- member is compared with one of these, and few lengths are many.
local fields = {[4] = {}, [8] = {}}

local function field(width, count)
  local bytes = fields[width][count]
  if not bytes then
    local rest, digits = count, {}
    for i = 1, width do
      digits[i] = string.char(rest % 256)
      rest = math.floor(rest / 256)
    end
    bytes = table.concat(digits)
    fields[width][count] = bytes
  end
  return bytes
end

local function header(m)
  local n = #m
  for width = 8, 4, -4 do
    local newer = n >= 9 + width and byte(m) == 8
      and sub(m, 10, 9 + width) == field(width, n - 9 - width)
    -- Both can fit only where the newer one has no payload.
    local older = (not newer or n == 9 + width) and n >= 8 + width
      and sub(m, 9, 8 + width) == field(width, n - 8 - width)
    if newer and older then
      local sixth, seventh = byte(m, 7, 8)
      newer = not ((seventh == 67 or seventh == 195) and sixth < 224)
    end
    if newer then return 9 + width, 2 end
    if older then return 8 + width, 1 end
  end
  return nil
end
