-- ARGV: for each measure its name and what to add, in us.
for i = 1, #ARGV, 2 do
  add(ARGV[i], ARGV[i + 1])
end
return 0
