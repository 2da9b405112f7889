-- Replaces a value. KEYS: the value. ARGV: the new one, its time to live in ms, the expected one (omitted: absent).
-- Returns 1 if it was replaced, otherwise 0.
if redis.call('STRLEN', KEYS[1]) > #(ARGV[3] or '') then
  return 0
end
local standing = redis.call('GET', KEYS[1])
if standing ~= (ARGV[3] or false) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
