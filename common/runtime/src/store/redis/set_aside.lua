-- KEYS: the ceiling, a hash of its window, each measure's spent amount, and the amounts set aside: field `hold:` plus id, value the
-- end of its lease in us and each measure's amount, as `1700000000000000 tokens=900`.
-- ARGV: the window's length in us or 0, how long to remember it in ms, the id of the hold, its lease in ms, then for each bounded
-- measure its name, its bound, the amount, and what the caller knows to be spent.
-- Returns `granted`, `busy`, or the measure that is exhausted, and the window.
local length_us = tonumber(ARGV[1])
local window = length_us > 0 and math.floor(now_us / length_us) or 0
if tonumber(redis.call('HGET', KEYS[1], 'window') or 0) ~= window then
  redis.call('DEL', KEYS[1])
end
local spent, aside = {}, {}
local stored = redis.call('HGETALL', KEYS[1])
for i = 1, #stored, 2 do
  local field, value = stored[i], stored[i + 1]
  local measure = string.match(field, '^(.*):spent$')
  if measure then
    spent[measure] = tonumber(value)
  elseif string.sub(field, 1, 5) == 'hold:' then
    if tonumber(string.match(value, '^%d+')) <= now_us then
      redis.call('HDEL', KEYS[1], field)
    else
      for name, amount in string.gmatch(value, '([%a_]+)=(%d+)') do
        aside[name] = (aside[name] or 0) + tonumber(amount)
      end
    end
  end
end
local busy, hold = false, string.format('%.0f', now_us + tonumber(ARGV[4]) * 1000)
for i = 5, #ARGV, 4 do
  local name, bound, amount = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  spent[name] = math.max(spent[name] or 0, tonumber(ARGV[i + 3]))
  if spent[name] + amount > bound then
    return { name, window }
  end
  busy = busy or spent[name] + (aside[name] or 0) + amount > bound
  hold = hold .. ' ' .. name .. '=' .. ARGV[i + 2]
end
if busy then
  return { 'busy', window }
end
redis.call('HSET', KEYS[1], 'window', window, 'hold:' .. ARGV[3], hold)
for i = 5, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[i] .. ':spent', string.format('%.0f', spent[ARGV[i]]))
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'granted', window }
