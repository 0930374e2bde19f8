# In: a mutant file, then the source that it is made from. Out: that source with the one mistake.
# The idea: a mutant says only what differs. `- line` takes that line away (`-2 line`: its second occurrence),
# the `+ line`s below it take its place; lines are compared without the blanks around them.
function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
FNR == 1 { files++ }
files == 1 && /^-[0-9]* / {
  edits++
  nth[edits] = match($0, /^-[0-9]+ /) ? substr($0, 2, RLENGTH - 2) + 0 : 1
  sub(/^-[0-9]* /, "")
  old[edits] = trimmed($0)
  next
}
files == 1 && /^\+/ {
  if (!edits) { print "mutate: a + line without a - line before it" > "/dev/stderr"; failed = 1 }
  added[edits] = added[edits] substr($0, 3) "\n"
  next
}
files == 1 { next }
{
  line = trimmed($0)
  hit = 0
  for (e = 1; e <= edits; e++)
    if (line == old[e] && ++met[e] == nth[e]) hit = e
  if (hit) printf "%s", added[hit]
  else print
}
END {
  for (e = 1; e <= edits; e++)
    if (met[e] < nth[e]) { print "mutate: not in the source: " old[e] > "/dev/stderr"; failed = 1 }
  if (!edits) { print "mutate: no change" > "/dev/stderr"; failed = 1 }
  exit failed
}
