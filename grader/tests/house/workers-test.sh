#!/bin/sh
# In: the corpus. Out: nothing and 0 when reports, counters and exit statuses are the same with one worker and
# with five; else what differs, and 1.
# The idea: which worker comes first must not show. Left out are races between blocks, whose programs compute
# other values with each order, and what depends on the host's own pace. A grading repeats itself even then.
set -eu
members=build/corpus/members
work=build/tests/workers
mkdir -p $work

# These once differed; every twelfth of the others stands for all.
once=' cp-async-no-sync stores-no-wait ping-pong-no-fence cluster-copy-no-sync spin-relaxed lab9-4-no-fence
  register-pool-one-warp wgmma-stage-not-awaited every-thread-late-write ring-no-empty-wait
  register-pool-wrong-way arrive-for-the-warp-no-syncwarp cp-async-groups-too-weak multicast-no-init-fence '
expects_the_same() {
  ! grep -q '^// expect: fault \(global-race\|stream-order\|endless-loop\)' "$1" &&
    ! grep -q '^// from: .*/kernel-ended-by-host' "$1"
}
# Prints PROGRAM NAME of each member that is run.
choose() {
  ONCE=$once awk -F'|' '
    BEGIN { count = split(ENVIRON["ONCE"], words, "[ \n]+"); while (count) named[words[count--]] = 1 }
    ($1 == "mutant" || $1 == "rule-wrong") && ($2 in named || ++n % 12 == 0) { print $3, $2, $4 }' $members
}
# run WORKERS PROGRAM NAME
run() {
  status=0
  build/bin/vhopper run --quiet --seed 3 --workers "$1" --json $work/report.json -- "$2" "$3" \
    >/dev/null 2>&1 || status=$?
  # addresses of the host's memory differ from run to run
  { echo "exit $status"; sed 's/0x7[0-9a-f]\{11\}/HOST/g' $work/report.json; } >"$work/$1"
}

failed=0
count=0
choose >$work/chosen
while read -r program name expectation; do
  expects_the_same "$expectation" || continue
  run 1 "$program" "$name"
  run 5 "$program" "$name"
  if grep -q '"rule":' $work/1; then count=$((count + 1)); fi
  cmp -s $work/1 $work/5 && continue
  failed=1
  echo "$name: with 1 worker (<) and with 5 (>):"
  diff $work/1 $work/5 | head -n 12 || true
done <$work/chosen
if [ $count -lt 30 ]; then
  echo "only $count reports were compared"
  failed=1
fi

# grade NUMBER OPTIONS: the same seed for a submission whose blocks store to the same places
mkdir -p $work/racing
sed 's/out + array.first_quad(tile)/out + array.first_quad(n)/' solutions/lab9/4-store-commit-groups.cu \
  >$work/racing/4-store-commit-groups.cu
grade() {
  number=$1
  shift
  status=0
  build/bin/grader check lab9/4-store-commit-groups --seed 5 --submission $work/racing --device virtual "$@" \
    >$work/graded-"$number" 2>&1 || status=$?
  if [ $status != 1 ] || ! grep -q 'the rule global-race' $work/graded-"$number"; then
    echo "a race between blocks: exit $status"
    cat $work/graded-"$number"
    failed=1
  fi
}
for number in 1 2 3; do
  grade $number
done
grade 4 --jobs 64 # one worker for each exercise
for number in 2 3 4; do
  cmp -s $work/graded-1 $work/graded-$number && continue
  echo "the same grading of a race between blocks, twice:"
  diff $work/graded-1 $work/graded-$number || true
  failed=1
done
exit $failed
