-- Removes a fence. KEYS: the fence of a session. ARGV: its revision, as text; another one stays.
if redis.call('HGET', KEYS[1], 'revision') == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 0
