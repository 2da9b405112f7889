-- In front of admit.lua, for whoever need not wait: the time of an open breaker is over. That of a probe is not.
if mode == 'open' then
  until_ms = now_ms
end
