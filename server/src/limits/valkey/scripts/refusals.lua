-- Precedes the scripts of a workspace. The refusals of a key in the last minute are fields of its hash: r:<key id> has
-- the numbers of the first and the last, r:<key id>:<number> the instant of each. One key has all, because a Cluster
-- that moves a slot runs no script of several keys.

local function instantOf(refusals, number)
  return tonumber(redis.call('HGET', KEYS[1], refusals.field .. ':' .. number))
end

local function dropRefusal(refusals, number)
  redis.call('HDEL', KEYS[1], refusals.field .. ':' .. number)
end

-- Drops refusals that are out of date or lie ahead of a clock that was set back.
local function readRefusals(keyId)
  local refusals = {field = 'r:' .. keyId}
  local text = redis.call('HGET', KEYS[1], refusals.field) or '1 0'
  local first, last = string.match(text, '^(%d+) (%d+)$')
  first, last = tonumber(first), tonumber(last)
  while last >= first and (instantOf(refusals, last) or now + 1) > now do
    dropRefusal(refusals, last)
    last = last - 1
  end
  while last >= first and now - (instantOf(refusals, first) or 0) >= 60000 do
    dropRefusal(refusals, first)
    first = first + 1
  end
  refusals.first, refusals.last = first, last
  return refusals
end

local function addRefusal(refusals)
  refusals.last = refusals.last + 1
  redis.call('HSET', KEYS[1], refusals.field .. ':' .. refusals.last, now)
end

local function clearRefusals(refusals)
  for number = refusals.first, refusals.last do dropRefusal(refusals, number) end
  refusals.first, refusals.last = 1, 0
end

local function saveRefusals(refusals)
  if refusals.last < refusals.first then
    redis.call('HDEL', KEYS[1], refusals.field)
  else
    redis.call('HSET', KEYS[1], refusals.field,
      string.format('%.0f %.0f', refusals.first, refusals.last))
  end
end
