#!/bin/sh
# In: the sources of the rooms that find what is wrong, and the list of rules. Out: exit 0 if they hold no
# sentence for students and no rule's name in quotes; else each offending line.
# The idea: order/, async/, memory/, diagnose/ and schedule/ state facts; the sentences are in
# rules/*-words.c, where one reader can keep them alike. A string with two blanks is a sentence; what die()
# prints is for us.
set -eu
cd "$(dirname "$0")/../../.."
device=grader/virtual-hopper
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# sentences FILE ..: FILE:LINE and text of each sentence.
sentences() {
  awk '
    FNR == 1 { dies = 0 }
    {
      line = $0
      sub(/\/\/.*/, "", line)
      if (line ~ /(^|[^a-z_])die\(/) dies = 1
      rest = line
      while (!dies && match(rest, /"([^"\\]|\\.)*"/)) {
        text = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (text ~ / .* /) { print FILENAME ":" FNR ": " text; bad = 1 }
      }
      if (line ~ /;$/) dies = 0
    }
    END { exit bad }' "$@"
}
for room in order async memory diagnose schedule; do
  sentences $device/$room/*.[ch] || status=1
done

# A rule is named by its enumerator, so that a misspelt one does not compile. Names of one word, such as
# "trap", are opcodes and modifiers of PTX, too.
sed -n 's/^RULE(RULE_[A-Z_]*, "\([a-z]*-[a-z-]*\)",$/\1/p' $device/rules/rules.def >"$work/rules"
[ "$(wc -l <"$work/rules")" -gt 20 ] || { echo 'rules.def has another form than this test reads'; exit 1; }
while read -r rule; do
  ! grep -rnF "\"$rule\"" grader --include='*.[ch]' --exclude-dir=tests || status=1
done <"$work/rules"

# The test itself works: it finds a planted sentence, and lets die() and comments be.
cat >"$work/planted.c" <<'END'
  snprintf(f->message, size, "Nobody has arrived.");
  die("out of memory for a report");
  die("can't reserve %zu bytes of memory: "
      "raise the limit of this process", size);
  // "these are no words" in a comment
END
sentences "$work/planted.c" >"$work/said" && { echo 'does not find a planted sentence'; status=1; }
[ "$(wc -l <"$work/said")" = 1 ] || {
  echo 'finds others than the planted sentence:'
  cat "$work/said"
  status=1
}
exit $status
