-- KEYS: the ceiling. ARGV: the window it was set aside in, how long to remember in ms, the id of the hold, then for each bounded
-- measure its name and what is spent of it. A window that is over is left alone; a lease that has ended is spent all the same.
local window = redis.call('HGET', KEYS[1], 'window')
if window and tonumber(window) ~= tonumber(ARGV[1]) then
  return 0
end
redis.call('HSET', KEYS[1], 'window', ARGV[1])
redis.call('HDEL', KEYS[1], 'hold:' .. ARGV[3])
for i = 4, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[i] .. ':spent', ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
