#!/bin/sh
# In: virtual or gpu, and the exit status of the build before. Out: a line for each group, the whole output of
# each test that failed, and at the end 'N passed, N failed'; exit 1 if any failed.
# The idea: plan.sh prints one test per line, GROUP|NAME|SECONDS|COMMAND. Each test leaves its output and
# status in a folder of its own, so tests run side by side and are counted afterwards, in order. The ten that
# took most of the processor are named before the last line, in seconds of it: how long a test took otherwise
# says more of what ran beside it. All tests' seconds are in build/tests/results-*/*/seconds: of the
# processor, of the clock, group, name.
set -eu
tests=$(dirname "$0")
device=$1
results=build/tests/results-$device

# run_one PLAN NUMBER: the test on that line.
if [ "$device" = --one ]; then
  plan=$2
  number=$3
  line=$(sed -n "${number}p" "$plan")
  seconds=$(echo "$line" | cut -d'|' -f3)
  command=$(echo "$line" | cut -d'|' -f4-)
  folder=$(dirname "$plan")/$number
  # A GPU that is there is left alone: what `make test` says is the same on every machine.
  case $folder in *-virtual/*) export CUDA_VISIBLE_DEVICES=-1 ;; esac
  mkdir -p "$folder"
  status=0
  begin=$(date +%s)
  timeout -k 5 "$seconds" sh -c "$command" >"$folder/output" 2>&1 </dev/null || status=$?
  end=$(date +%s)
  times >"$folder/times" # the second line: 1m2.500000s 0m0.250000s of the children, user and system
  if [ "$status" = 124 ] ||
    [ "$status" = 137 ]; then echo "stopped after $seconds s: it hangs, or this machine is far too busy" \
    >>"$folder/output"; fi
  echo "$status" >"$folder/status"
  spent=$(awk -F'[ms ]+' 'NR == 2 { printf "%.1f", 60 * $1 + $2 + 60 * $3 + $4 }' "$folder/times")
  echo "$spent $((end - begin)) $(echo "$line" | cut -d'|' -f1,2 | tr '|' ' ')" >"$folder/seconds"
  exit 0
fi

rm -rf "$results"
mkdir -p "$results"
echo "build|all parts|600|echo 'Not everything was built: see above.'; exit ${2:-0}" >"$results/plan"
sh "$tests/plan.sh" "$device" >>"$results/plan"

# A cmocka program counts for as many tests as it says it ran; any other command counts for one.
count_of() {
  count=$(sed -n "s/^\[  $2  \].* \([0-9][0-9]*\) test(s).*/\1/p" "$results/$1/output" | head -n 1)
  echo "${count:-1}"
}

passed=0
failed=0
groups=$(cut -d'|' -f1 "$results/plan" | awk '!seen[$0]++')
for group in $groups; do
  numbers=$(awk -F'|' -v group="$group" '$1 == group { print NR }' "$results/plan")
  jobs=${JOBS:-$(nproc)}
  # Tests that time a GPU, or keep one busy on purpose, run alone.
  if [ "$group" = bandwidth ]; then jobs=1; fi
  echo "$numbers" | xargs -P "$jobs" -n 1 sh "$0" --one "$results/plan"
  group_passed=0
  group_failed=0
  for number in $numbers; do
    if [ "$(cat "$results/$number/status")" = 0 ]; then
      group_passed=$((group_passed + $(count_of "$number" PASSED)))
    else
      group_failed=$((group_failed + $(count_of "$number" FAILED)))
      [ "$(count_of "$number" PASSED)" = 1 ] || group_passed=$((group_passed + $(count_of "$number" PASSED)))
      echo "---- failed: $group $(sed -n "${number}p" "$results/plan" |
        cut -d'|' -f2): exit $(cat "$results/$number/status")"
      sed -n "${number}p" "$results/plan" | cut -d'|' -f4- | sed 's/^/$ /'
      cat "$results/$number/output"
      echo '----'
    fi
  done
  printf '%-14s %5d passed%s\n' "$group" "$group_passed" \
    "$([ $group_failed = 0 ] || echo ", $group_failed failed")"
  passed=$((passed + group_passed))
  failed=$((failed + group_failed))
done

spent=$(cat "$results"/*/seconds | awk '{ all += $1 } END { printf "%.0f", all }')
echo "seconds of the processor: $spent, most of them: $(cat "$results"/*/seconds | sort -rn | head -n 10 |
  sed 's/ [^ ]* [^ ]* / /' | paste -s -d, | sed 's/,/, /g')"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
