-- Ends the ban of a key and keeps its strikes.
--
-- KEYS   1 the workspace, 2 the refusals of the key
-- ARGV   2 key id
-- Reply  {1 if the key was banned, now}

local field = 'b:' .. ARGV[2]
local text = redis.call('HGET', KEYS[1], field) or ''
local since, ends, rest = string.match(text, '^(%-?%d+) (%-?%d+) (.*)$')
if not ends or now >= tonumber(ends) then return {0, now} end
redis.call('HSET', KEYS[1], field, since .. ' 0 ' .. rest)
redis.call('DEL', KEYS[2])
return {1, now}
