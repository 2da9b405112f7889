-- ARGV, after the policy: the generation of the admission, the outcome (success, failure, neutral).
-- Returns {state after it, failures, size}: the window on which this report opened it, or 0 and 0 if it did not.
local outcome = ARGV[7]
local opened_failures, opened_size = 0, 0

local function count()
  outcomes = outcomes .. (outcome == 'failure' and '1' or '0')
  outcomes = string.sub(outcomes, math.max(#outcomes - window, 0) + 1)
  local _, failures = string.gsub(outcomes, '1', '')
  if outcome == 'failure' and #outcomes >= min_samples and failures > failure_share * #outcomes then
    opened_failures, opened_size = failures, #outcomes
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
      if outcome == 'failure' then
        opened_failures, opened_size = 1, 1
      end
      enter('open', outcome == 'failure' and now_ms + open_ms or now_ms)
    end
    keep()
  end
end
return { state(), opened_failures, opened_size }
