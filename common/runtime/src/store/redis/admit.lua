-- Returns {'allowed', generation}, {'probe', generation} or {'open', ms to wait}.
if mode == 'closed' then
  return { 'allowed', generation }
end
if now_ms < until_ms then
  return { 'open', until_ms - now_ms }
end
enter('probing', now_ms + probe_ms)
keep()
return { 'probe', generation }
