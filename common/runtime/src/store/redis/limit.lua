-- Reads the times of a limit's measures. Prepended to reserve.lua and settle.lua.
-- KEYS: the limit, a hash of each measure's time (us) at which it is paid off.
local function paid_off(measure)
  return math.max(tonumber(redis.call('HGET', KEYS[1], measure) or 0), now_us)
end

-- Expires once everything is paid off: from then on it equals a new one.
local function add(measure, delta_us)
  local at_us = paid_off(measure) + delta_us
  redis.call('HSET', KEYS[1], measure, at_us)
  local left_ms = math.ceil((at_us - now_us) / 1000) + 1
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), left_ms, 1))
end
