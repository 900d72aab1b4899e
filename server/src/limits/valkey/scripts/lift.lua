-- Ends the ban of a key and keeps its strikes.
--
-- KEYS   1 the workspace
-- ARGV   2 key id
-- Reply  {1 if the key was banned, now}

local field = 'b:' .. ARGV[2]
local text = redis.call('HGET', KEYS[1], field) or ''
local since, ends, rest = string.match(text, '^(%-?%d+) (%-?%d+) (.*)$')
if not ends or now >= tonumber(ends) then return {0, now} end
redis.call('HSET', KEYS[1], field, since .. ' 0 ' .. rest)
local refusals = readRefusals(ARGV[2])
clearRefusals(refusals)
saveRefusals(refusals)
return {1, now}
