-- The breaker, step by step as in store/breaker.rs. Prepended to admit.lua and report.lua.
-- KEYS: the breaker, a hash of generation, mode (closed, open, probing), until (ms) and outcomes (newest last, 1 a failure).
-- ARGV: the policy (window, min_samples, failure_share, open_ms, probe_ms), then the arguments of the operation.
local window, min_samples, failure_share = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local open_ms, probe_ms = tonumber(ARGV[4]), tonumber(ARGV[5])
local stored = redis.call('HMGET', KEYS[1], 'generation', 'mode', 'until', 'outcomes')
local generation, mode, until_ms = tonumber(stored[1] or 0), stored[2] or 'closed', tonumber(stored[3] or 0)
local outcomes = stored[4] or ''

-- Expires a day after its last change: by then it says nothing about the service any more.
local function keep()
  redis.call('HSET', KEYS[1], 'generation', generation, 'mode', mode, 'until', until_ms, 'outcomes', outcomes)
  redis.call('PEXPIRE', KEYS[1], 86400000 + math.max(until_ms - now_ms, 0))
end

local function enter(new_mode, new_until_ms)
  generation, mode, until_ms, outcomes = generation + 1, new_mode, new_until_ms, ''
end

local function state()
  if mode == 'closed' then
    return 'closed'
  end
  return mode == 'open' and now_ms < until_ms and 'open' or 'half-open'
end
