-- Ends a hold. KEYS: the fence of a session. ARGV: revision, holder; both must match the hold.
local fence = redis.call('HMGET', KEYS[1], 'revision', 'holder')
if fence[2] == ARGV[2] and tonumber(fence[1]) == tonumber(ARGV[1]) then
  redis.call('HDEL', KEYS[1], 'holder', 'copy', 'until')
end
return 0
