#!/bin/sh
# In: the built grader. Out: exit 0 if a grader that is killed by SIGKILL, and so can't tidy up, leaves no
# half-written result and no process; and if the next one goes on and removes the scratch folders that were
# left.
# The idea: a result file is whole at every moment, so the grader is killed at random moments.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp" "$scratch/class" "$scratch/class/ann" "$scratch/class/bob"
cp solutions/lab9/1-bulk-copy-1d.cu "$scratch/class/ann"
grep -v '^// ' grader/tests/submissions/sleeps-on-host.cu >"$scratch/class/bob/1-bulk-copy-1d.cu"
failed=0

complain() {
  echo "$1"
  failed=1
}

is_whole() {
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>/dev/null || tail -c 2 "$1" | grep -q '}'
}

# The file is whole, and claims no pass that was not graded.
check_result() {
  [ -e "$1" ] || return 0
  is_whole "$1" || complain "killed after $delay s: half a result: $(head -c 200 "$1")"
  ! grep -q '"verdict": *"pass"' "$1" || [ "$2" = ann ] || complain "killed after $delay s: a pass for $2"
}

check_processes() {
  tries=0
  while pgrep -f "$scratch/tmp" >/dev/null && [ $tries -lt 1200 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  [ $tries = 1200 ] || return 0
  complain "killed after $delay s: still running: $(pgrep -af "$scratch/tmp" | head -n 3)"
  pkill -KILL -f "$scratch/tmp"
}

# draw MOST: sets $delay to a random number of seconds, at most about MOST.
draw() {
  delay=$(awk -v seed="$$$round" -v most="$1" 'BEGIN { srand(seed); printf "%.2f", 0.02 + rand() * most }')
}

for round in 1 2 3 4 5 6 7 8 9 10; do
  draw 2.5
  who=$([ $((round % 2)) = 0 ] && echo ann || echo bob)
  TMPDIR=$scratch/tmp build/bin/grader grade lab9/1 --submission "$scratch/class/$who" --device virtual \
    --deadline 20 --format json \
    -o "$scratch/$who.json" >"$scratch/output" 2>&1 &
  grader=$!
  sleep "$delay"
  kill -KILL $grader 2>/dev/null
  wait $grader 2>/dev/null
  check_processes
  check_result "$scratch/$who.json" "$who"
done

status=0
TMPDIR=$scratch/tmp build/bin/grader grade lab9/1 --submission "$scratch/class/ann" --device virtual \
  --format json -o "$scratch/ann.json" \
  >"$scratch/output" 2>&1 || status=$?
[ "$status" = 0 ] || complain "the next run ended with $status: $(cat "$scratch/output")"
grep -q '"verdict": *"pass"' "$scratch/ann.json" || complain 'the next run wrote no pass'
[ -z "$(ls -A "$scratch/tmp")" ] || complain "the next run left: $(ls -A "$scratch/tmp")"

# A class: the batch is ended at random moments, by each signal, and then runs to its end. Whole results are
# kept, the others are graded again, and the grades are the bytes of an undisturbed batch.
rm -r "$scratch/class/bob"
for name in carl dora; do cp -r "$scratch/class/ann" "$scratch/class/$name"; done
echo '// begun' | cat labs/lab9/1-bulk-copy-1d.cu - >"$scratch/class/dora/1-bulk-copy-1d.cu"

# batch OUT WORDS..: grades the class.
batch() {
  out=$1
  shift
  exec build/bin/grader batch lab9 "$scratch/class" --out "$scratch/$out" --device virtual --seed 1 "$@"
}
export TMPDIR="$scratch/tmp"
(batch whole) >"$scratch/output" 2>&1
grep -q '3 submissions: 0 passed, 3 fell short, 0 with grader errors' "$scratch/output" ||
  complain "the class was not graded: $(cat "$scratch/output")"
round=20
for signal in KILL INT TERM KILL INT TERM KILL; do
  round=$((round + 1))
  draw $((round % 3 + 1))
  [ $round != 27 ] || delay=0.01
  (batch grades --jobs $((round % 2 + 1))) >"$scratch/output" 2>&1 &
  grader=$!
  sleep "$delay"
  kill -$signal $grader 2>/dev/null
  wait $grader 2>/dev/null
  check_processes
  find "$scratch/grades" -name '*.json' >"$scratch/results" 2>/dev/null
  while read -r result; do check_result "$result" ann; done <"$scratch/results"
done
: >"$scratch/grades/results/ann.json.1.new"
(batch grades) >"$scratch/output" 2>&1
grep -q '3 submissions: 0 passed, 3 fell short, 0 with grader errors' "$scratch/output" ||
  complain "the class was not graded to its end: $(cat "$scratch/output")"
cmp "$scratch/whole/grades.csv" "$scratch/grades/grades.csv" ||
  complain 'ended by signals and resumed, the batch gives other grades'
[ -z "$(ls -A "$scratch/tmp")" ] || complain "the class left: $(ls -A "$scratch/tmp")"
[ -z "$(find "$scratch/grades" -name '*.new')" ] ||
  complain "the class left half files: $(find "$scratch/grades" -name '*.new')"

# Under nohup, SIGHUP must not end the batch.
(
  trap '' HUP
  batch held --jobs 2
) >"$scratch/output" 2>&1 &
grader=$!
tries=0
until [ -e "$scratch/held" ] || [ $tries = 6000 ]; do # it has begun, so signals are set up
  tries=$((tries + 1))
  sleep 0.1
done
pkill -HUP -P $grader
kill -HUP $grader
wait $grader
grep -q '3 submissions: 0 passed, 3 fell short, 0 with grader errors' "$scratch/output" ||
  complain "a hang-up that is ignored ends a class: $(cat "$scratch/output")"
exit $failed
