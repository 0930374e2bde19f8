#!/bin/sh
# In: build/bin/vhopper, the held-out kernels of grader/tests/bench/held-out and what was predicted of them.
# Out: exit 0 if each kernel has its prediction for both chips, if one of each file still gives the right
# result, if a kernel is predicted at all, and if predictions and measurements are joined as they should be.
set -eu
cd "$(dirname "$0")/../../.."
here=grader/tests/bench/held-out
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'held-out-test: %s\n' "$1" >&2; exit 1; }

# Predictions read numbers, not zeros: of these, a fourth is selected and written.
sh $here/held-out.sh predict 5 h100 cub-select-4 >"$work/select" || fail 'a selection is not predicted'
awk -F '[:,]' '$1 ~ /"name"/ { selects = /DeviceSelectSweep/ } selects && $1 ~ /"read_bytes"/ { read = $2 }
  selects && $1 ~ /"written_bytes"/ { right = $2 > 0.2 * read && $2 < 0.3 * read } END { exit !right }' \
  build/bench/held-out/h100-cub-select-4.json || fail 'a selection has not its input'

ratio=$(sh $here/held-out.sh predict 1 h100 each-16-4-512) || fail 'nothing is predicted'
case $ratio in "each-16-4-512 0.9"* | "each-16-4-512 1.0"*) ;; *) fail "a plain copy: $ratio" ;; esac
# The middle of a launch is whole turns of its blocks, which load, multiply and store at about the same time.
ratio=$(sh $here/held-out.sh predict 2 h100 busy-48-128) || fail 'nothing is predicted'
case $ratio in *" 0.7"* | *" 0.80"* | *" 0.81"* | *" 0.82"* | *" 0.83"* | *" 0.84"* | *" 0.85"*) ;;
*) fail "a chip has 0.790: $ratio" ;; esac
list=build/bench/held-out/list-h100
[ "$(wc -l <$list)" -ge 60 ] || fail 'too few kernels'
[ -z "$(cut -d' ' -f2 $list | sort | uniq -d)" ] || fail 'a kernel is there twice'
cut -d' ' -f1 $list | sort -u | while read -r set; do
  awk -v set="$set" '$1 == set { print $2 }' $list | sort >"$work/kernels"
  for chip in h100 h200; do
    grep -v '^#' "$here/predicted-$set-$chip.txt" | cut -d' ' -f1 | sort | cmp -s - "$work/kernels" ||
      fail "predicted-$set-$chip.txt has not the kernels of set $set"
  done
done

# A kernel of each file, with its result checked.
for kernel in pieces-256-8192-32-256-4 turn-64-1-512 deal-16384-3-2-256; do
  build/bin/vhopper run --no-check --quiet -- build/bench/held-out/held-out 1 12 1 $kernel \
    >"$work/said" 2>&1 ||
    fail "$kernel: $(cat "$work/said")"
  grep -q "^$kernel " "$work/said" || fail "$kernel is not there"
done

printf '%s\n' '# predicted' 'a 0.5' 'b 0.9' 'c 1.0' 'd 0.2' >"$work/predicted"
printf '%s\n' 'a 0.4' 'b 1.0' 'c 0.8' >"$work/measured"
sh $here/held-out.sh join "$work/predicted" "$work/measured" >"$work/joined"
grep -qxF '| b | 0.900 | 1.000 | -10.0 % |' "$work/joined" || fail 'a line of the table is wrong'
summary='3 kernels, mean error 20.0 %, worst 25.0 %, 2 beyond 12 %, rank correlation 0.50'
grep -qxF "$summary, target told right 1 of 3" "$work/joined" ||
  fail "the summary is wrong: $(tail -1 "$work/joined")"
