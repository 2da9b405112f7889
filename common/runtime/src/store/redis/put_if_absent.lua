-- First writer wins. KEYS: the value. ARGV: the value to write, its time to live in ms.
-- Returns the earlier value; nothing if the new one was written.
local standing = redis.call('GET', KEYS[1])
if not standing then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return standing
