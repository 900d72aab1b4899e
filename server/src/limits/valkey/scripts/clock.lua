-- Precedes every script. ARGV[1] is the instant to decide by, or '' for the store's own clock.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
