-- Names the store, so that nodes notice when they count in different ones. A copy of a store has its name too. So a name is
-- replaced now and then, and soon the two have none in common. The one before is known still: some nodes ask later.
--
-- KEYS   1 the names
-- ARGV   2 the name that it gets if it has none, 3 its next name, 4 for how many milliseconds a name is kept
-- Reply  {the name, the name before}

local row = redis.call('HMGET', KEYS[1], 'name', 'before', 'since')
local name, before, since = row[1] or ARGV[2], row[2] or ARGV[2], tonumber(row[3]) or now
if math.abs(now - since) >= tonumber(ARGV[4]) then name, before, since = ARGV[3], name, now end
if name ~= row[1] then
  redis.call('HSET', KEYS[1], 'name', name, 'before', before, 'since', since)
  redis.call('PEXPIRE', KEYS[1], 172800000)
end
return {tonumber(name), tonumber(before)}
