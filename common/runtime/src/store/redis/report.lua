-- ARGV, after the policy: the generation of the admission, the outcome (success, failure, neutral). Returns the state after it.
local outcome = ARGV[7]

local function is_over()
  local _, failures = string.gsub(outcomes, '1', '')
  return #outcomes >= min_samples and failures > failure_share * #outcomes
end

local function count()
  outcomes = outcomes .. (outcome == 'failure' and '1' or '0')
  outcomes = string.sub(outcomes, math.max(#outcomes - window, 0) + 1)
  if outcome == 'failure' and is_over() then
    enter('open', now_ms + open_ms)
  end
end

if tonumber(ARGV[6]) == generation then
  if mode == 'closed' and outcome ~= 'neutral' then
    count()
    keep()
  elseif mode == 'probing' then
    if outcome == 'success' then
      enter('closed', 0)
    else
      enter('open', outcome == 'failure' and now_ms + open_ms or now_ms)
    end
    keep()
  end
end
return state()
