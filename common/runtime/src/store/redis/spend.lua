-- KEYS: the ceiling. ARGV: the window it was set aside in, how long to remember in ms, then for each bounded measure its name,
-- what was set aside and what is spent of it. A window that is over is left alone.
local window = redis.call('HGET', KEYS[1], 'window')
if window and tonumber(window) ~= tonumber(ARGV[1]) then
  return 0
end
redis.call('HSET', KEYS[1], 'window', ARGV[1])
for i = 3, #ARGV, 3 do
  local aside = tonumber(redis.call('HGET', KEYS[1], ARGV[i] .. ':aside') or 0)
  redis.call('HSET', KEYS[1], ARGV[i] .. ':aside', string.format('%.0f', math.max(aside - tonumber(ARGV[i + 1]), 0)))
  redis.call('HINCRBY', KEYS[1], ARGV[i] .. ':spent', ARGV[i + 2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
