-- Claims a revision at the fence. KEYS: the fence of a session, a hash of revision, holder, copy and until (ms).
-- ARGV: revision, holder, its copy, the hold in ms, how long to remember it in ms.
-- Returns {'claimed', 1 if nothing was known before}, {'stale', latest} or {'held', 0}.
local revision = tonumber(ARGV[1])
local fence = redis.call('HMGET', KEYS[1], 'revision', 'copy', 'until')
local latest = tonumber(fence[1] or -1)
if revision < latest then
  -- As text: a number over 2^63 does not survive the reply.
  return { 'stale', fence[1] }
end
-- A copy that arrives at another worker was redelivered by the broker: its earlier holder is dead or disconnected.
local other = fence[3] and tonumber(fence[3]) > now_ms and fence[2] ~= ARGV[3]
if revision == latest and other then
  return { 'held', 0 }
end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'holder', ARGV[2], 'copy', ARGV[3], 'until', now_ms + ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[5]))
return { 'claimed', fence[1] and 0 or 1 }
