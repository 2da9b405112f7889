-- ARGV: for each measure its name, the cost in us and the slack in us. Returns 0 if all were taken, otherwise us to wait.
local wait_us = 0
for i = 1, #ARGV, 3 do
  wait_us = math.max(wait_us, paid_off(ARGV[i]) - now_us - ARGV[i + 2])
end
if wait_us == 0 then
  for i = 1, #ARGV, 3 do
    add(ARGV[i], ARGV[i + 1])
  end
end
return wait_us
