-- Records a publish; never goes back. KEYS: the fence of a session. ARGV: revision, the memory in ms.
-- A known revision changes nothing: its next holder may have claimed it before its publisher got here.
if tonumber(ARGV[1]) > tonumber(redis.call('HGET', KEYS[1], 'revision') or -1) then
  redis.call('HSET', KEYS[1], 'revision', ARGV[1])
  redis.call('HDEL', KEYS[1], 'holder', 'copy', 'until')
end
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
return 0
