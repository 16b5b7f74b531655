-- Delayed queues of Redisson for redis_exporter, where nothing else can be installed:
--
--   redis_exporter --script=redis-exporter.lua
--
-- It only reads. Each figure becomes redis_script_values{key="FIGURE:QUEUE"}: waiting, late,
-- late_seconds (of the oldest late entry), next_due_seconds (absent when none waits), order,
-- delivered, clients (that transfer; absent where they may not be counted). What `delayscope metrics`
-- tells besides (problems, their cause, drift by members) no script can tell at this price.

-- Queues by name, such as {"orders", "invoices"}: then nothing is looked for.
local names = {}
-- Keys that are looked through at most in search of queues, and queues that are told at most.
local most_keys, most_queues = 20000, 50

local function cut(key)
    return string.match(key, "^redisson_delay_queue_timeout:{(.*)}$")
        or string.match(key, "^redisson_delay_queue_timeout:(.*{.*}.*)$")
end

local complete, omitted = 1, 0
if #names == 0 then
    local cursor, seen, known = "0", 0, {}
    repeat
        local page = redis.call("SCAN", cursor, "MATCH", "redisson_delay_queue_timeout:*", "COUNT", 1000)
        cursor, seen = page[1], seen + 1000
        for _, key in ipairs(page[2]) do
            local name = cut(key)
            if name and not known[name] then
                known[name] = true
                if #names < most_queues then names[#names + 1] = name else omitted = omitted + 1 end
            end
        end
    until cursor == "0" or seen >= most_keys
    if cursor ~= "0" then complete = 0 end
end

-- What one key may not answer (another type, no right) is left out, and hinders no other.
local function ask(...)
    local answer = redis.pcall(...)
    if type(answer) == "table" and answer.err then return nil end
    return answer
end

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local told = {}
local function tell(figure, name, value)
    if value then
        told[#told + 1] = figure .. ":" .. name
        told[#told + 1] = tostring(value)
    end
end

for _, name in ipairs(names) do
    local tagged = string.find(name, "{", 1, true) and name or "{" .. name .. "}"
    local timeouts = "redisson_delay_queue_timeout:" .. tagged
    tell("waiting", name, ask("ZCARD", timeouts))
    tell("late", name, ask("ZCOUNT", timeouts, "-inf", now))
    local first = ask("ZRANGE", timeouts, 0, 0, "WITHSCORES")
    if first then
        local due = tonumber(first[2])
        tell("late_seconds", name, due and math.max(0, now - due) / 1000 or 0)
        if due then tell("next_due_seconds", name, string.format("%.3f", due / 1000)) end
    end
    tell("order", name, ask("LLEN", "redisson_delay_queue:" .. tagged))
    tell("delivered", name, ask("LLEN", name))
    local clients = ask("PUBSUB", "NUMSUB", "redisson_delay_queue_channel:" .. tagged)
    tell("clients", name, clients and clients[2])
end
told[#told + 1] = "queues_all_found"
told[#told + 1] = tostring(complete)
told[#told + 1] = "queues_omitted"
told[#told + 1] = tostring(omitted)
return told
