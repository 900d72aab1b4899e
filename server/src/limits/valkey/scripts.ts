// The limiter as Valkey or Redis runs it: one script decides requests of a key, one a bucket, each in
// one round trip and by the clock of the store. It is the arithmetic of window.ts and ban.ts again.
//
// A workspace is one hash: its two windows (ms, mu, ds, du: start and used, of minute and day) and,
// for every key that was ever banned, a field b:<key id> with since, until, strikes and last
// refusal. When the hash is not there the store is new or has lost its data; then the script
// decides nothing and asks for what the database and the node know, so that no ban is forgotten.
// The refusals of a key are a list of instants.

import { createHash } from 'node:crypto';

export interface Script {
  text: string;
  digest: string;
}

/** What the first number of a request in an answer of the admit script means. */
export const outcomes = ['admitted', 'minute', 'day', 'ban'] as const;

const CLOCK = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Decides all requests of one key that arrived together, one after the other. KEYS: the workspace, the
 * refusals of the key. ARGV: 1 instant or nothing, 2 key id, 3 the cost of each (0 only looks), 4 per
 * minute, 5 per day, 6 refusals to ban, 7 ladder, 8-11 the windows and 12 the ban that the node knows, if the
 * store may not, 13 whether to begin with the rest: key id and ban, by turns. The answer is the instant and the
 * ban of the key, then seven numbers for each request; the instant alone when it cannot decide.
 */
export const admitScript = script(`${CLOCK}
local MINUTE, DAY, KEEP = 60000, 86400000, 172800000
local field = 'b:' .. ARGV[2]
local perMinute, perDay = tonumber(ARGV[4]), tonumber(ARGV[5])
local row = redis.call('HMGET', KEYS[1], 'ms', 'mu', 'ds', 'du', field)
local ms, mu, ds, du = tonumber(row[1]), tonumber(row[2]), tonumber(row[3]), tonumber(row[4])
local isChanged = false

if not ms then
  if ARGV[13] ~= '1' then return {now} end
  ms, mu, ds, du = -MINUTE, 0, -DAY, 0
  isChanged = true
  for index = 14, #ARGV, 2 do
    redis.call('HSET', KEYS[1], 'b:' .. ARGV[index], ARGV[index + 1])
  end
  row[5] = redis.call('HGET', KEYS[1], field)
end

local knownMs, knownMu = tonumber(ARGV[8]), tonumber(ARGV[9])
local knownDs, knownDu = tonumber(ARGV[10]), tonumber(ARGV[11])
-- What is to begin with means nothing to a store that another call has begun already.
if ARGV[13] == '1' and row[1] then knownMs, knownDs = nil, nil end
-- A window that is still open here keeps its time and takes the larger count: nodes that were
-- alone have opened windows of their own, and one of those in its place would give back requests.
if knownMs and now >= ms + MINUTE and knownMs > ms then
  ms, mu, isChanged = knownMs, knownMu, true
elseif knownMs and now < knownMs + MINUTE and knownMu > mu then
  mu, isChanged = knownMu, true
end
if knownDs and now >= ds + DAY and knownDs > ds then
  ds, du, isChanged = knownDs, knownDu, true
elseif knownDs and now < knownDs + DAY and knownDu > du then
  du, isChanged = knownDu, true
end
if ms > now then ms, isChanged = now, true end
if ds > now then ds, isChanged = now, true end

local function parse(text)
  if not text then return 0, 0, 0, 0 end
  local a, b, c, d = string.match(text, '^(%-?%d+) (%-?%d+) (%d+) (%-?%d+)$')
  return tonumber(a), tonumber(b), tonumber(c), tonumber(d)
end
local since, ends, strikes, last = parse(row[5])
if ARGV[12] ~= '' then
  local a, b, c, d = parse(ARGV[12])
  if a > since then since, ends, strikes, last, isChanged = a, b, c, d, true end
end
if ends ~= 0 and since > now then
  ends, since, isChanged = ends - (since - now), now, true
end
if ends ~= 0 and now >= ends then ends, isChanged = 0, true end

-- Refusals of the key within the last minute, read when the first is added to them.
local refusals, added = nil, 0
local function readRefusals()
  local tail = tonumber(redis.call('LINDEX', KEYS[2], -1))
  while tail and tail > now do
    redis.call('RPOP', KEYS[2])
    tail = tonumber(redis.call('LINDEX', KEYS[2], -1))
  end
  local head = tonumber(redis.call('LINDEX', KEYS[2], 0))
  while head and now - head >= MINUTE do
    redis.call('LPOP', KEYS[2])
    head = tonumber(redis.call('LINDEX', KEYS[2], 0))
  end
  return redis.call('LLEN', KEYS[2])
end
local function refuse()
  refusals = (refusals or readRefusals()) + 1
  added = added + 1
  if now - last >= DAY then strikes = 0 end
  last = now
  local left = tonumber(ARGV[6]) - refusals
  if left > 0 then return left end
  local ladder = {}
  for step in string.gmatch(ARGV[7], '%d+') do ladder[#ladder + 1] = tonumber(step) end
  local length = ladder[math.min(strikes + 1, #ladder)]
  strikes, since, ends = strikes + 1, now, now + length
  refusals, added = 0, 0
  redis.call('DEL', KEYS[2])
  return 0
end

local answer = {now, 0, 0, 0, 0}
for text in string.gmatch(ARGV[3], '%d+') do
  local cost, outcome, left = tonumber(text), 0, 0
  local minuteUsed = now < ms + MINUTE and mu or 0
  local dayUsed = now < ds + DAY and du or 0
  if ends ~= 0 then outcome = 3
  elseif cost > 0 and dayUsed + cost > perDay then outcome = 2
  elseif cost > 0 and minuteUsed + cost > perMinute then outcome = 1
  elseif cost > 0 then
    if now >= ms + MINUTE then ms, mu = now, 0 end
    if now >= ds + DAY then ds, du = now - now % DAY, 0 end
    mu, du, isChanged = mu + cost, du + cost, true
  end
  if outcome == 1 or outcome == 2 then left, isChanged = refuse(), true end
  local at = #answer
  answer[at + 1], answer[at + 2], answer[at + 3] = outcome, left, ends
  answer[at + 4], answer[at + 5], answer[at + 6], answer[at + 7] = ms, mu, ds, du
end
answer[2], answer[3], answer[4], answer[5] = since, ends, strikes, last

for _ = 1, added do redis.call('RPUSH', KEYS[2], now) end
if added > 0 then redis.call('PEXPIRE', KEYS[2], 2 * MINUTE) end
if isChanged then
  redis.call('HSET', KEYS[1], 'ms', ms, 'mu', mu, 'ds', ds, 'du', du)
  if strikes > 0 or row[5] then
    redis.call('HSET', KEYS[1], field,
      string.format('%.0f %.0f %.0f %.0f', since, ends, strikes, last))
  end
  redis.call('PEXPIRE', KEYS[1], KEEP)
end
return answer
`);

/** KEYS: the bucket. ARGV: 1 instant or nothing, 2 per minute, 3 how many to count. */
export const bucketScript = script(`${CLOCK}
local row = redis.call('HMGET', KEYS[1], 's', 'u')
local start, used = tonumber(row[1]) or -60000, tonumber(row[2]) or 0
local isPulledBack = start > now
if isPulledBack then start = now end
if now >= start + 60000 then start, used = now, 0 end
local count = tonumber(ARGV[3])
local isRefused = count > 0 and used + count > tonumber(ARGV[2])
if not isRefused then used = used + count end
if isPulledBack or (count > 0 and not isRefused) then
  redis.call('HSET', KEYS[1], 's', start, 'u', used)
  redis.call('PEXPIRE', KEYS[1], 120000)
end
return {isRefused and 1 or 0, now, start, used}
`);

/** KEYS: the workspace, the refusals of the key. ARGV: 1 instant or nothing, 2 key id. */
export const liftScript = script(`${CLOCK}
local field = 'b:' .. ARGV[2]
local text = redis.call('HGET', KEYS[1], field) or ''
local since, ends, rest = string.match(text, '^(%-?%d+) (%-?%d+) (.*)$')
if not ends or now >= tonumber(ends) then return {0, now} end
redis.call('HSET', KEYS[1], field, since .. ' 0 ' .. rest)
redis.call('DEL', KEYS[2])
return {1, now}
`);

function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}
