-- Reads a value unless it is too large, so that whoever wrote it cannot fill a worker's memory. KEYS: the value. ARGV: most bytes.
-- Returns the value; nothing if there is none; its size as a number if it has more bytes.
local size = redis.call('STRLEN', KEYS[1])
if size > tonumber(ARGV[1]) then
  return size
end
return redis.call('GET', KEYS[1])
