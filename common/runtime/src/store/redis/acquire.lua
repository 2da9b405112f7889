-- Takes or renews a lease. KEYS: the lease. ARGV: the owner, its time to live in ms, the longest time to live of any lease in ms.
-- Returns 0 if the owner holds it now, otherwise for how many ms at most another owner holds it.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  local left_ms = redis.call('PTTL', KEYS[1])
  -- A lease that never ends, or ends later than any lease does, is nobody's.
  if left_ms >= 0 and left_ms <= tonumber(ARGV[3]) then
    return math.max(left_ms, 1)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
