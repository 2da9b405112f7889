-- Ends a lease. KEYS: the lease. ARGV: the owner; nobody else can end it.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 0
