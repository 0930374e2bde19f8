#!/bin/sh
# In: virtual or gpu, and the exit status of the build before. Out: a line for each group, the whole output of
# each test that failed, and at the end 'N passed, N failed'; exit 1 if any failed.
# The idea: plan.sh prints one test per line, GROUP|NAME|SECONDS|COMMAND. Each test leaves its output and
# status in a folder of its own, so tests run side by side and are counted afterwards, in order. All groups
# are one queue, in which the tests that take long (longest.txt) come first: no core waits for the last test
# of a group. The ten that took most of the processor are named before the last line, in seconds of it: how
# long a test took otherwise says more of what ran beside it. All tests' seconds are in
# build/tests/results-*/*/seconds: of the processor, of the clock, group, name.
set -eu
tests=$(dirname "$0")
device=$1

# hundredths 1m2.543210s: 6254, in $hundredths. Some shells write a comma where the user does.
hundredths() {
  minutes=${1%%m*} hundredths=${1#*m}
  fraction=${hundredths#*[.,]}00
  fraction=1${fraction%"${fraction#??}"}
  hundredths=$((minutes * 6000 + ${hundredths%%[.,]*} * 100 + fraction - 100))
}

# --one RESULTS NUMBER|PLACE|GROUP|NAME|SECONDS|COMMAND: runs a test and prints the place of its group. No
# process is started but the test's and its time limit's: a dozen for each of thousands of tests took minutes.
if [ "$device" = --one ]; then
  IFS='|' read -r number place group name seconds command <<LINE
$3
LINE
  folder=$2/$number
  # A GPU that is there is left alone: what `make test` says is the same on every machine.
  case $2 in *-virtual) export CUDA_VISIBLE_DEVICES=-1 ;; esac
  status=0
  read -r begin _ </proc/uptime
  timeout -k 5 "$seconds" sh -c "$command" >"$folder/output" 2>&1 </dev/null || status=$?
  read -r end _ </proc/uptime
  times >"$folder/times" # the second line: 1m2.500000s 0m0.250000s of the children, user and system
  if [ "$status" = 124 ] ||
    [ "$status" = 137 ]; then echo "stopped after $seconds s: it hangs, or this machine is far too busy" \
    >>"$folder/output"; fi
  { read -r _; read -r user system; } <"$folder/times"
  hundredths "$user"
  spent=$hundredths
  hundredths "$system"
  spent=$((spent + hundredths))
  hundredths "0m$end"
  took=$hundredths
  hundredths "0m$begin"
  took=$((took - hundredths))
  printf '%d.%02d %d.%02d %s %s\n' $((spent / 100)) $((spent % 100)) $((took / 100)) $((took % 100)) \
    "$group" "$name" >"$folder/seconds"
  echo "$status" >"$folder/status"
  echo "$place"
  exit 0
fi

# A python3 that is a script in front of the real one, as pyenv's is, takes three times as long to start.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
if [ -x "$python" ] && [ "$(command -v python3)" != "$python" ]; then export PATH="${python%/*}:$PATH"; fi

results=build/tests/results-$device
rm -rf "$results"
mkdir -p "$results"
echo "build|all parts|600|echo 'Not everything was built: see above.'; exit ${2:-0}" >"$results/plan"
sh "$tests/plan.sh" "$device" >>"$results/plan"
awk -v results="$results" '{ print results "/" NR }' "$results/plan" | xargs mkdir

# The queue: TURN NUMBER|PLACE|GROUP|NAME|SECONDS|COMMAND, the places of the groups counted from 1. Turns come
# one after another. On a GPU each group is a turn, since some of them time it.
awk -F'|' -v OFS='|' -v device="$device" '
  FILENAME ~ /longest/ { split($0, words, " "); long[words[2] "|" words[3]] = words[1]; next }
  !($1 in place) { place[$1] = ++groups }
  { print device == "gpu" ? place[$1] : 1, long[$1 "|" $2] + 0, FNR "|" place[$1] "|" $0 }' \
  "$tests/longest.txt" "$results/plan" | sort -t '|' -k 1,1n -k 2,2nr -s |
  cut -d'|' -f1,3- >"$results/queue"

# report GROUP PLACE: prints what came of the tests of a group, and adds them up in $results/counts. A cmocka
# program counts for as many tests as it says it ran; any other command counts for one.
report() {
  awk -F'|' -v group="$1" -v results="$results" '
    function tests(word,   n) {
      n = said[word]
      return n == "" ? 1 : n
    }
    $1 != group { next }
    {
      output = results "/" NR "/output"
      status = ""
      getline status <(results "/" NR "/status")
      close(results "/" NR "/status")
      said["PASSED"] = said["FAILED"] = ""
      while ((getline line <output) > 0) {
        if (line !~ /^\[  (PASSED|FAILED)  \].* [0-9]+ test\(s\)/) continue
        word = substr(line, 4, 6)
        sub(/ test\(s\).*/, "", line)
        sub(/.* /, "", line)
        if (said[word] == "") said[word] = line
      }
      close(output)
      if (status == "0") {
        passed += tests("PASSED")
        next
      }
      failed += tests("FAILED")
      if (tests("PASSED") != 1) passed += tests("PASSED")
      print "---- failed: " group " " $2 ": " (status == "" ? "it was not run to its end" : "exit " status)
      command = $0
      sub(/^[^|]*\|[^|]*\|[^|]*\|/, "", command)
      print "$ " command
      fflush()
      system("cat " output)
      print "----"
    }
    END {
      printf "%-14s %5d passed%s\n", group, passed, failed ? ", " failed " failed" : ""
      print passed + 0, failed + 0 >>(results "/counts")
    }' "$results/plan"
}

# reports FIRST LAST: reads the places of groups, as their tests end; prints the groups at these places in
# order, each as soon as it has no test left.
reports() {
  next=$1
  while [ "$next" -le "$2" ]; do
    while eval "[ \$left_$next -gt 0 ]" && read -r place; do eval "left_$place=\$((left_$place - 1))"; done
    report "$(eval "echo \$group_$next")"
    next=$((next + 1))
  done
}

# Sets left_PLACE and group_PLACE of each group, and $groups, their number.
groups=0
eval "$(awk -F'|' '
  !($1 in left) { order[++groups] = $1 }
  { left[$1]++ }
  END {
    for (i = 1; i <= groups; i++) printf "left_%d=%d group_%d=%s\n", i, left[order[i]], i, order[i]
    print "groups=" groups
  }' "$results/plan")"

turn=1
while [ "$turn" -le "$groups" ]; do
  last=$turn jobs=${JOBS:-$(($(nproc) + 1))}
  [ "$device" = gpu ] || last=$groups
  # One job more than cores, since some tests sleep. Tests that time a GPU, or keep one busy, run alone.
  if eval "[ \$group_$turn = bandwidth ]"; then jobs=1; fi
  awk -F'|' -v turn="$turn" '$1 == turn { sub(/^[^|]*\|/, ""); print }' "$results/queue" |
    xargs -d '\n' -P "$jobs" -n 1 sh "$0" --one "$results" | reports "$turn" "$last"
  turn=$((last + 1))
done

spent=$(cat "$results"/*/seconds | awk '{ all += $1 } END { printf "%.0f", all }')
echo "seconds of the processor: $spent, most of them: $(cat "$results"/*/seconds | sort -rn | head -n 10 |
  awk '{ printf "%s%.1f %s", NR == 1 ? "" : ", ", $1, $4 }')"
awk '{ passed += $1; failed += $2 } END {
  print passed + 0 " passed, " failed + 0 " failed"
  exit !(passed && !failed)
}' "$results/counts"
