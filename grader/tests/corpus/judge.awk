# In: a mutant file (or one that expects nothing), then what vhopper said on stderr. Out: the verdict, one
# line:
#   caught · silent · missed · wrong rule: ... · wrong line: ... · wrong words: ... · false: ...
# The idea: every fault begins with its title and "(rule NAME"; the places below it are `FILE:LINE    text of
# the line`. `@ line` in the mutant is a line that the report must show; any one of them is enough. `// says:
# TEXT` are words that it must say, wherever it breaks its lines.
function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
FNR == 1 { files++ }
files == 1 && /^\/\/ expect: fault / { expected = $4; wanted[$4] = 1; next }
files == 1 && /^\/\/ also: / { wanted[$3] = 1; next }
files == 1 && /^\/\/ says: / { said[substr($0, 10)] = 1; next }
files == 1 && /^@ / { here[trimmed(substr($0, 3))] = 1; heres++; next }
files == 1 { next }
{ text_of_all = text_of_all " " trimmed($0) }
/\(rule [a-z0-9-]+/ {
  match($0, /\(rule [a-z0-9-]+/)
  rule = substr($0, RSTART + 6, RLENGTH - 6)
  seen[rule] = 1
  if (!(rule in wanted)) other = other " " rule
  next
}
rule == expected && match($0, /^  [^ ].*:[0-9]+    /) {
  text = trimmed(substr($0, RLENGTH + 1))
  if (text in here) found = 1
  shown = shown " | " text
}
END {
  for (words in said)
    if (!index(text_of_all, words)) unsaid = unsaid " " words
  if (expected == "") print other == "" ? "silent" : "false:" other
  else if (other != "") print "wrong rule:" other (expected in seen ? " beside " expected : "")
  else if (!(expected in seen)) print "missed"
  else if (heres && !found) print "wrong line:" shown
  else if (unsaid != "") print "wrong words:" unsaid
  else print "caught"
}
