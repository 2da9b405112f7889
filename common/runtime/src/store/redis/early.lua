-- Prepended to admit.lua for callers that need not wait: ends the open time of the breaker, but not that of a probe.
if mode == 'open' then
  until_ms = now_ms
end
