# In: a mutant file (or one that expects nothing), then files with what vhopper said on stderr, one of each
# run. Out: the verdict of each, one line:
#   caught · silent · missed · wrong rule: ... · wrong line: ... · wrong words: ... · false: ...
#   · several reports: ...
# The idea: every fault begins with its title and "(rule NAME"; the places below it are `FILE:LINE    text of
# the line`. `@ line` in the mutant is a line that the report must show; any one of them is enough. `// says:
# TEXT` are words that it must say, wherever it breaks its lines. One cause is one report; a mutant with
# several mistakes says `// reports: 2`, the most that it may give.
function trimmed(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
function expect(file,    words) {
  while ((getline < file) > 0) {
    split($0, words)
    if (/^\/\/ expect: fault /) { expected = words[4]; wanted[words[4]] = 1 }
    else if (/^\/\/ also: /) wanted[words[3]] = 1
    else if (/^\/\/ reports: /) most = words[3]
    else if (/^\/\/ says: /) said[substr($0, 10)] = 1
    else if (/^@ /) { here[trimmed(substr($0, 3))] = 1; heres++ }
  }
}
function verdict(file,    rule, found, met, other, reports, shown, unsaid, words, text, text_of_all, status) {
  while ((status = (getline < file)) > 0) {
    text_of_all = text_of_all " " trimmed($0)
    if (match($0, /\(rule [a-z0-9-]+/)) {
      rule = substr($0, RSTART + 6, RLENGTH - 6)
      reports++
      if (rule == expected) met = 1
      if (!(rule in wanted)) other = other " " rule
    } else if (rule == expected && match($0, /^  [^ ].*:[0-9]+    /)) {
      text = trimmed(substr($0, RLENGTH + 1))
      if (text in here) found = 1
      shown = shown " | " text
    }
  }
  close(file)
  if (status < 0) return "no report: " file
  for (words in said)
    if (!index(text_of_all, words)) unsaid = unsaid " " words
  if (expected == "") return other == "" ? "silent" : "false:" other
  if (other != "") return "wrong rule:" other (met ? " beside " expected : "")
  if (!met) return "missed"
  if (reports > most) return "several reports: " reports
  if (heres && !found) return "wrong line:" shown
  return unsaid != "" ? "wrong words:" unsaid : "caught"
}
BEGIN {
  most = 1
  expect(ARGV[1])
  for (i = 2; i < ARGC; i++) print verdict(ARGV[i])
}
