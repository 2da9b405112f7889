-- Takes or renews a lease. KEYS: the lease. ARGV: the owner, its time to live in ms.
-- Returns 0 if the owner holds it now, otherwise for how many ms at most another owner holds it.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
