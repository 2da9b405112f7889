-- The server's clock, prepended to every script that compares times: now_us and now_ms since the Unix epoch.
local clock = redis.call('TIME')
local now_us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now_ms = math.floor(now_us / 1000)
