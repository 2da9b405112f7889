-- Renews a hold. KEYS: the fence of a session. ARGV: revision, holder, its copy, the hold in ms, how long to remember it in ms.
-- Returns as claim.lua. After a wipe the store may know less than its caller: a newer revision is accepted.
local revision = tonumber(ARGV[1])
local fence = redis.call('HMGET', KEYS[1], 'revision', 'holder', 'until')
local latest = tonumber(fence[1] or -1)
if revision < latest then
  -- As text: a number over 2^63 does not survive the reply.
  return { 'stale', fence[1] }
end
local other = fence[3] and tonumber(fence[3]) > now_ms and fence[2] ~= ARGV[2]
if revision == latest and other then
  return { 'held', 0 }
end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'holder', ARGV[2], 'copy', ARGV[3], 'until', now_ms + ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), fence[1] and ARGV[4] or ARGV[5]))
return { 'claimed', 0 }
