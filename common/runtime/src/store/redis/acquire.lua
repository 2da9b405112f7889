-- Takes or renews a lease. KEYS: the lease. ARGV: the owner, its time to live in ms.
-- Returns 0 where it is ours now, otherwise for how many ms at most it is somebody else's.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
