-- Decides requests of one key, one after the other. The rules are those of window.ts and ban.ts.
--
-- KEYS   1 the workspace
-- ARGV   2 key id
--        3 the cost of each request, separated by spaces; 0 counts nothing. A cost may be followed by
--          @<minute start>@<day start>: one of it was counted in these windows, and is given back
--        4 requests per minute, 5 requests per day; may be followed by +<requests>@<end of the day>,
--          which an operator added for that day
--        6 refusals that lead to a ban, 7 the lengths of bans, separated by spaces
--        8 the ban of the key as the node knows it, or ''
--        9 the id of the workspace's record as the node knows it, or ''
--        10-13 both windows as the node knows them (start and used), if 9 is ''
-- Reply  {now} if the record is not the one that the node knows: the store has lost its data. The
--        node then sends the call again with its windows. Otherwise {now, record id, since, until,
--        strikes, quiet since} and for each request {outcome, refusals before a ban, until, minute
--        start, minute used, day start, day used}.
--
-- The workspace is one hash: id, the windows (ms, mu, ds, du) and, for every key that was ever
-- banned, a field b:<key id>. The refusals of a key are in fields of their own (refusals.lua).

local MINUTE, DAY, KEEP = 60000, 86400000, 172800000
local field = 'b:' .. ARGV[2]
local perMinute = tonumber(ARGV[4])
local perDay, added, addedUntil = string.match(ARGV[5], '^(%d+)%+?(%d*)@?(%d*)$')
perDay, addedUntil = tonumber(perDay), tonumber(addedUntil)
if addedUntil and now < addedUntil and now >= addedUntil - DAY then
  perDay = perDay + tonumber(added)
end
local row = redis.call('HMGET', KEYS[1], 'id', 'ms', 'mu', 'ds', 'du', field)
local id = row[1]
local ms, mu = tonumber(row[2]) or -MINUTE, tonumber(row[3]) or 0
local ds, du = tonumber(row[4]) or -DAY, tonumber(row[5]) or 0
local isChanged = false

if ARGV[9] ~= '' then
  if id ~= ARGV[9] then return {now} end
else
  if not id then
    local time = redis.call('TIME')
    id, isChanged = string.format('%.0f', time[1] * 1000000 + time[2]), true
  end
  -- An open window keeps its start and takes the larger count: nodes that counted by themselves
  -- have windows of their own, and one of those in its place would give requests back.
  local knownMs, knownMu = tonumber(ARGV[10]), tonumber(ARGV[11])
  if now >= ms + MINUTE and knownMs > ms then
    ms, mu, isChanged = knownMs, knownMu, true
  elseif now < knownMs + MINUTE and knownMu > mu then
    mu, isChanged = knownMu, true
  end
  local knownDs, knownDu = tonumber(ARGV[12]), tonumber(ARGV[13])
  if now >= ds + DAY and knownDs > ds then
    ds, du, isChanged = knownDs, knownDu, true
  elseif now < knownDs + DAY and knownDu > du then
    du, isChanged = knownDu, true
  end
end
if ms > now then ms, isChanged = now, true end
if ds > now then ds, isChanged = now, true end

local function parseBan(text)
  local a, b, c, d = string.match(text or '', '^(%-?%d+) (%-?%d+) (%d+) (%-?%d+)$')
  return tonumber(a) or 0, tonumber(b) or 0, tonumber(c) or 0, tonumber(d) or 0
end
local since, ends, strikes, quietSince = parseBan(row[6])
local knownSince, knownEnds, knownStrikes, knownQuietSince = parseBan(ARGV[8])
if knownSince > since then
  since, ends, strikes, quietSince = knownSince, knownEnds, knownStrikes, knownQuietSince
  isChanged = true
end
local function lengthOfBan()
  local lengths = {}
  for length in string.gmatch(ARGV[7], '%d+') do lengths[#lengths + 1] = tonumber(length) end
  return lengths[math.min(math.max(strikes, 1), #lengths)]
end
if ends ~= 0 then
  local latest = now + lengthOfBan()
  if ends > latest then ends, isChanged = latest, true end
  if now >= ends then ends, isChanged = 0, true end
end

local refusals, isRefused = nil, false
local function refuse()
  refusals = refusals or readRefusals(ARGV[2])
  isRefused = true
  addRefusal(refusals)
  if now - quietSince >= DAY then strikes = 0 end
  quietSince = now
  local left = tonumber(ARGV[6]) - (refusals.last - refusals.first + 1)
  if left > 0 then return left end
  strikes = strikes + 1
  since, ends = now, now + lengthOfBan()
  quietSince = ends
  clearRefusals(refusals)
  return 0
end

local ADMITTED, BY_MINUTE, BY_DAY, BY_BAN = 0, 1, 2, 3
local reply = {now, tonumber(id), 0, 0, 0, 0}
for text in string.gmatch(ARGV[3], '[^ ]+') do
  local cost, countedMs, countedDs = string.match(text, '^(%d+)@?(%-?%d*)@?(%-?%d*)$')
  local outcome, left = ADMITTED, 0
  cost = tonumber(cost)
  if tonumber(countedMs) == ms and mu > 0 then mu, isChanged = mu - 1, true end
  if tonumber(countedDs) == ds and du > 0 then du, isChanged = du - 1, true end
  local minuteUsed = now < ms + MINUTE and mu or 0
  local dayUsed = now < ds + DAY and du or 0
  if ends ~= 0 then outcome = BY_BAN
  elseif cost > 0 and dayUsed + cost > perDay then outcome = BY_DAY
  elseif cost > 0 and minuteUsed + cost > perMinute then outcome = BY_MINUTE
  elseif cost > 0 then
    if now >= ms + MINUTE then ms, mu = now, 0 end
    if now >= ds + DAY then ds, du = now - now % DAY, 0 end
    mu, du, isChanged = mu + cost, du + cost, true
  end
  if outcome == BY_MINUTE or outcome == BY_DAY then left, isChanged = refuse(), true end
  local at = #reply
  reply[at + 1], reply[at + 2], reply[at + 3] = outcome, left, ends
  reply[at + 4], reply[at + 5], reply[at + 6], reply[at + 7] = ms, mu, ds, du
end
reply[3], reply[4], reply[5], reply[6] = since, ends, strikes, quietSince

if isRefused then saveRefusals(refusals) end
if isChanged then
  redis.call('HSET', KEYS[1], 'id', id, 'ms', ms, 'mu', mu, 'ds', ds, 'du', du)
  if strikes > 0 or row[6] then
    redis.call('HSET', KEYS[1], field,
      string.format('%.0f %.0f %.0f %.0f', since, ends, strikes, quietSince))
  end
  redis.call('PEXPIRE', KEYS[1], KEEP)
end
return reply
