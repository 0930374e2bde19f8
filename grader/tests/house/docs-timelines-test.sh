#!/bin/sh
# In: the guide's samples, compiled; build/bin/vhopper. Out: exit 0 if the guide's pictures of pipelines, and
# the figures beside them, are what the time model makes of the samples now.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh docs-timelines-test $$)
trap 'rm -rf "$work"' EXIT
fail() { printf 'docs-timelines-test: %s (make docs-timelines)\n' "$1" >&2; exit 1; }

sh docs/machinery/timelines.sh "$work"
count=0
for drawn in "$work"/*; do
  name=${drawn##*/}
  cmp -s "$drawn" "docs/pictures/$name" || fail "docs/pictures/$name is not what is drawn now"
  count=$((count + 1))
done
[ $count = 11 ] || fail "$count files are drawn"
for name in "$work"/*.svg; do
  grep -q "pictures/${name##*/}" docs/guide/bandwidth.md || fail "nobody shows ${name##*/}"
done
awk -f docs/machinery/quote.awk docs/guide/bandwidth.md | cmp -s - docs/guide/bandwidth.md ||
  fail 'the guide quotes other figures'

# The order of the four kernels that a reader guesses is the model's.
awk 'NR > 1 { rate[NR - 1] = $3 }
  END { exit !(rate[4] > rate[2] && rate[4] > rate[3] && rate[2] > rate[1] && rate[3] > rate[1] &&
               rate[2] / rate[3] < 1.1 && rate[3] / rate[2] < 1.1) }' "$work/quiz.txt" ||
  fail 'the guide says that D is the fastest, B and A are alike, and C is the slowest; the model does not'
