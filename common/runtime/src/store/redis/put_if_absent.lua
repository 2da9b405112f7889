-- First writer wins. KEYS: the value. ARGV: the value to write, its time to live in ms, the most bytes of an earlier one.
-- Returns the earlier value, or its size as a number if it has more bytes; nothing if the new one was written.
local size = redis.call('STRLEN', KEYS[1])
if size > tonumber(ARGV[3]) then
  return size
end
local standing = redis.call('GET', KEYS[1])
if not standing then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return standing
