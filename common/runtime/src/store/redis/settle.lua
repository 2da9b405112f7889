-- ARGV: for each measure its name and the us to add.
for i = 1, #ARGV, 2 do
  add(ARGV[i], ARGV[i + 1])
end
return 0
