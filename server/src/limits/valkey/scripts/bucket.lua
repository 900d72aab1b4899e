-- Counts requests in a bucket of its own, a minute from the first.
--
-- KEYS   1 the bucket
-- ARGV   2 requests per minute, 3 how many to count; 0 counts nothing
-- Reply  {1 if refused, now, start, used}

local row = redis.call('HMGET', KEYS[1], 's', 'u')
local start, used = tonumber(row[1]) or -60000, tonumber(row[2]) or 0
local isAhead = start > now
if isAhead then start = now end
if now >= start + 60000 then start, used = now, 0 end
local count = tonumber(ARGV[3])
local isRefused = count > 0 and used + count > tonumber(ARGV[2])
if not isRefused then used = used + count end
if isAhead or (count > 0 and not isRefused) then
  redis.call('HSET', KEYS[1], 's', start, 'u', used)
  redis.call('PEXPIRE', KEYS[1], 120000)
end
return {isRefused and 1 or 0, now, start, used}
