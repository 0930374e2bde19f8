#!/bin/sh
# In: a count and folders with submissions to lab9; a GPU and the built kit. Out: for each folder and exercise
# the bandwidth stage's verdicts and ratios over so many whole gradings, each from the compiler on; exit 1 if
# any exercise got two different verdicts.
#   sh grader/tests/gpu/repeat-gradings.sh COUNT FOLDER..
set -eu
cd "$(dirname "$0")/../../.."
count=$1
shift
scratch=$(mktemp -d)
failed=0
trap 'rm -rf "$scratch"' EXIT
for folder in "$@"; do
  : >"$scratch/all"
  before=$(date +%s)
  i=0
  while [ $i -lt "$count" ]; do
    build/bin/grader grade lab9 --submission "$folder" --device gpu --format json >>"$scratch/all" ||
      [ $? = 1 ]
    i=$((i + 1))
  done
  echo "$folder: $count gradings, $((($(date +%s) - before) / count)) s each"
  awk -F'"' '$2 == "name" && $4 ~ /^[0-9]/ { exercise = $4 }
    $2 == "name" && $4 !~ /^[0-9]/ { stage = $4 }
    $2 == "verdict" && stage == "bandwidth" {
      verdicts[exercise " " $4]++
      if (!(exercise in low)) { low[exercise] = 9; high[exercise] = 0 }
    }
    $2 == "ratio" && stage == "bandwidth" { value = $3; gsub(/[^0-9.]/, "", value)
      if (value != "" && value + 0 < low[exercise]) low[exercise] = value + 0
      if (value != "" && value + 0 > high[exercise]) high[exercise] = value + 0; stage = "" }
    END { for (key in verdicts) { split(key, part, " "); kinds[part[1]]++
            printf "  %-22s %-6s %3d   ratio %.4f to %.4f\n",
              part[1], part[2], verdicts[key], low[part[1]], high[part[1]] }
          for (name in kinds) bad += kinds[name] > 1
          exit bad > 0 }' "$scratch/all" >"$scratch/table" || failed=1
  sort "$scratch/table"
done
exit $failed
