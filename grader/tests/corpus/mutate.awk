# In: a mutant file, and the source that it is made from. Out: that source with the one mistake.
# The idea: a mutant says only what differs. `- line` takes that line away (`-2 line`: its second occurrence),
# the `+ line`s below it take its place; lines are compared without the blanks around them. With
# `-v many=yes` it does nothing by itself: mutants.awk calls mutate().
function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function mutate_fails(what) {
  print "mutate: " what > "/dev/stderr"
  failed = 1
}
# The mutated text of the file `from`. Sets `failed` if the mutant doesn't fit.
function mutate(mutant, from,   line, text, hit, e, edits, nth, old, added, met) {
  while ((getline line < mutant) > 0) {
    if (line ~ /^-[0-9]* /) {
      edits++
      nth[edits] = match(line, /^-[0-9]+ /) ? substr(line, 2, RLENGTH - 2) + 0 : 1
      sub(/^-[0-9]* /, "", line)
      old[edits] = trimmed(line)
    } else if (line ~ /^\+/) {
      if (!edits) mutate_fails("a + line without a - line before it")
      added[edits] = added[edits] substr(line, 3) "\n"
    }
  }
  close(mutant)
  while ((getline line < from) > 0) {
    hit = 0
    for (e = 1; e <= edits; e++)
      if (trimmed(line) == old[e] && ++met[e] == nth[e]) hit = e
    text = text (hit ? added[hit] : line "\n")
  }
  close(from)
  for (e = 1; e <= edits; e++)
    if (met[e] < nth[e]) mutate_fails("not in the source: " old[e])
  if (!edits) mutate_fails("no change")
  return text
}
BEGIN {
  if (many != "yes") {
    printf "%s", mutate(ARGV[1], ARGV[2])
    exit failed
  }
}
