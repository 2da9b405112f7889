-- KEYS: the ceiling, a hash of its window and of each measure's spent and aside.
-- ARGV: the window's length in us or 0, how long to remember in ms, then for each bounded measure its name, its bound, the
-- amount and what is known to be spent. Returns `granted`, `busy`, or the measure that is reached, and the window.
local length_us = tonumber(ARGV[1])
local window = length_us > 0 and math.floor(now_us / length_us) or 0
if tonumber(redis.call('HGET', KEYS[1], 'window') or 0) ~= window then
  redis.call('DEL', KEYS[1])
end
local function number(field)
  return tonumber(redis.call('HGET', KEYS[1], field) or 0)
end
local busy = false
for i = 3, #ARGV, 4 do
  local spent = math.max(number(ARGV[i] .. ':spent'), tonumber(ARGV[i + 3]))
  local bound, amount = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  if spent + amount > bound then
    return { ARGV[i], window }
  end
  busy = busy or spent + number(ARGV[i] .. ':aside') + amount > bound
end
if busy then
  return { 'busy', window }
end
redis.call('HSET', KEYS[1], 'window', window)
for i = 3, #ARGV, 4 do
  local spent = math.max(number(ARGV[i] .. ':spent'), tonumber(ARGV[i + 3]))
  redis.call('HSET', KEYS[1], ARGV[i] .. ':spent', string.format('%.0f', spent))
  redis.call('HINCRBY', KEYS[1], ARGV[i] .. ':aside', ARGV[i + 2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'granted', window }
