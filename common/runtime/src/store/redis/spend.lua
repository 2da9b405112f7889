-- KEYS: the ceiling. ARGV: the window it was set aside in, how long to remember it in ms, the id of the hold, then for each bounded
-- measure its name and what was spent of it. Ignored if that window is over; counted even if the lease has ended.
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
