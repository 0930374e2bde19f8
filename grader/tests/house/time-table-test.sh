#!/bin/sh
# In: the table of docs/measurements/predictions.md. Out: exit 0 if its picture is the one that the table
# gives, if its measured ratios are those of time-measured.txt, if its errors and its summary follow from its
# ratios, and if the model still predicts one of its kernels so.
set -eu
cd "$(dirname "$0")/../../.."
bench=grader/tests/bench table=docs/measurements/predictions.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'time-table-test: %s\n' "$1" >&2; exit 1; }

awk -f $bench/time-scatter.awk "$table" >"$work/picture"
cmp -s "$work/picture" docs/pictures/time-accuracy.svg ||
  fail "the picture is not that of the table: awk -f $bench/time-scatter.awk $table"

awk -F ' *[|] *' '/^\| H[12]00 \| [a-z0-9-]+ \| [0-9.]+ \| [0-9.]+ \|/ {
    print tolower($2), $3, $5, $4, $6
  }' "$table" | sort >"$work/table"
[ "$(wc -l <"$work/table")" -ge 100 ] || fail 'the table is gone'
cut -d' ' -f1-3 "$work/table" >"$work/of-table"
grep -v '^#' $bench/time-measured.txt | cut -d' ' -f1-3 | sort | cmp -s - "$work/of-table" ||
  fail 'the measured ratios are not those of time-measured.txt'

# CHIP, kernels, mean error and worst error, as the summary says
awk '$NF != "*" {
    off = 100 * ($4 / $3 - 1)
    if (off - $5 > 0.06 || $5 - off > 0.06) {
      print "the error of " $1 " " $2 " is not " $5 > "/dev/stderr"
      bad = 1
    }
    size = off < 0 ? -off : off
    count[$1]++
    sum[$1] += size
    if (size > worst[$1]) worst[$1] = size
  }
  END {
    if (bad) exit 1
    for (chip in count)
      printf "| %s | %d | %.1f %% | %.1f %% |\n", toupper(chip), count[chip], sum[chip] / count[chip],
        worst[chip]
  }' "$work/table" >"$work/summary" || fail 'an error in the table is wrong'
while read -r line; do
  grep -qF -e "$line" "$table" || fail "the summary is not: $line"
done <"$work/summary"

kernel=tile-4096-0-128-4-0-0
sh $bench/time-accuracy.sh "h100 $kernel " >"$work/now" 2>&1 || fail "$(cat "$work/now")"
is=$(awk -v kernel=$kernel '$2 == kernel { print $3 }' "$work/now")
was=$(awk -v kernel=$kernel '$1 == "h100" && $2 == kernel { print $4 }' "$work/table")
[ "${is:-none}" = "$was" ] ||
  fail "$kernel is predicted to reach $is now, the table says $was: repeat it (time-accuracy.sh)"
