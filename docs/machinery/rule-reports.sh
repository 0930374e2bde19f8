#!/bin/sh
# In: the pages of rules, their wrong kernels as the corpus has built them. Out: `update` puts what is
# reported about each into its page, below "## Reported"; `compare` prints every page that says something
# else, and ends with 1.
# The idea: a page shows the very words that a student meets, so they are taken from a run and never typed.
# Lines count from the top of the code.
set -eu
work=build/docs-work/rules
mkdir -p $work
status=0

# report NAME: what is said about the page's wrong kernel, without its title and the last line, which name the
# page.
report() {
  program=$(awk -F'|' -v name="$1-wrong" '$2 == name { print $3 }' build/corpus/members)
  [ -n "$program" ] || { echo "docs/rules/$1.md: no wrong kernel in build/corpus/members" >&2; return 1; }
  options=$(sed -n 's,^// options: ,,p' build/corpus/src/rule-"$1".expect)
  # shellcheck disable=SC2086 # options are words
  build/bin/vhopper run --seed 0 --workers 1 --budget 3000000 $options -- "$program" "$1-wrong" \
    >$work/out 2>$work/err || true
  awk -v rule="$1" -v width=80 '
    function flush() { if (prose != "") { wrap(prose); prose = "" } }
    function wrap(text,  n, i, word, line) {
      n = split(text, word, " ")
      for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(word[i]) > width) { print line; line = "" }
        line = line (line == "" ? "" : " ") word[i]
      }
      print line
    }
    index($0, "(rule " rule) { inside = 1; next }
    /\(rule |^  More about it/ { inside = 0 }
    !inside { next }
    /^  the host, |^  launch [0-9]+, made by the host / { host = 1; next } # the corpus has names of its own
    host && /^      called from / { next }
    { host = 0 }
    { sub(/^  /, ""); sub("build/corpus/src/rules/" rule "-wrong.cu", rule ".cu") }
    NF == 0 { flush(); blank = begun; next }
    blank { print ""; blank = 0; told = 1 }
    { begun = 1 }
    /:[0-9]+    |^    / && !told { print; next } # the places
    { # it was wrapped where the next word had no room in 98 columns; else a sentence began there
      split($0, first, " ")
      if (prose != "" && length(last) + 1 + length(first[1]) <= 98) flush()
      prose = prose (prose == "" ? "" : " ") $0
      last = $0
    }
    END { flush() }' $work/err >$work/report
  [ "$(wc -c <$work/report)" -gt 1 ] ||
    { echo "docs/rules/$1.md: nothing is reported by that rule" >&2; return 1; }
}

for page in docs/rules/*.md; do
  name=$(basename "$page" .md)
  report "$name" || { status=1; continue; }
  awk -v report=$work/report '
    /^## Reported$/ { skip = 1; next }
    /^## / { skip = 0 }
    /^## Mended$/ {
      print "## Reported\n\n```text"
      while ((getline line < report) > 0) print line
      print "```\n"
    }
    !skip { print }' "$page" >$work/page
  if [ "$1" = update ]; then
    cmp -s "$page" $work/page || cp $work/page "$page"
  elif ! diff -u "$page" $work/page; then
    echo "$page reports something else than its wrong kernel gets (make docs-verdict fills it in)"
    status=1
  fi
done
exit $status
