#!/bin/sh
# In: the guide's samples, compiled. Out: what differs; exit 1 if anything does.
# The idea: every sample does what the guide says. Right samples print `ok` and break no rule under several
# orders of events; wrong samples are reported in the words that the guide quotes.
set -eu
cd "$(dirname "$0")/../../.."
samples=docs/guide/samples
status=0
fail() {
  echo "$1"
  status=1
}

for sample in "$samples"/*.cu; do
  name=$(basename "$sample" .cu)
  program=build/docs-samples/$name
  if grep -q '^// WRONG on purpose' "$sample"; then
    code=0
    said=$(build/bin/vhopper run --quiet -- "$program" 2>&1 >/dev/null) || code=$?
    [ "$code" = 66 ] || fail "$sample: exit $code, expected 66: a rule is broken"
    quoted=$(cat "$samples/$name.out")
    [ "$said" = "$quoted" ] ||
      fail "$samples/$name.out quotes another report than this one (make docs-verdict writes it anew):
$said"
    continue
  fi
  for seed in 0 1 2; do
    code=0
    said=$(build/bin/vhopper run --quiet --seed $seed -- "$program" 2>&1) || code=$?
    if [ "$code" != 0 ] || [ "$said" != ok ]; then fail "$sample, seed $seed: exit $code: $said"; fi
  done
done

# Every sample is quoted, and every page's sample exists (the build sees to that).
for sample in "$samples"/*.cu; do
  grep -rq "$(basename "$sample" .cu)\.\(cu\|out\)" docs/guide/*.md || fail "$sample is quoted nowhere"
done
exit $status
