#!/bin/sh
# In: a folder for what is said, then steps (all when none is given; their names are below). Out: each step's
# words in FOLDER/STEP, and at the end one line for each: its name, how it ended, its seconds, the last thing
# it said. Exit 1 when one failed. Needs a Hopper GPU and a built kit.
# The idea: measures again, after a change, everything that docs/measurements.md says about a GPU, the most
# important steps first. Each step has a deadline of its own, so a step that hangs delays no other step.
set -u
cd "$(dirname "$0")/../../.." || exit 2
[ $# -gt 0 ] || { echo "usage: sh $0 FOLDER [STEP...]" >&2 && exit 2; }
folder=$1
shift
mkdir -p "$folder" || exit 2
every='doctor solutions attacks verdicts test class bench'
# shellcheck disable=SC2086  # the steps' names are words
[ $# -gt 0 ] || set -- $every
for name in "$@"; do
  case " $every " in
  *" $name "*) ;;
  *) echo "$0: no step is called $name; there are: $every" >&2 && exit 2 ;;
  esac
done

# The seconds a step may take, and what it runs.
step() {
  case $1 in
  doctor) limit 60 build/bin/grader doctor ;;
  # Points, ratios and seconds of each stage, as numbers.
  solutions) limit 120 build/bin/grader grade lab9 --submission solutions/lab9 --device gpu --format json ;;
  attacks) limit 420 sh grader/tests/gpu/attacks.sh ;;
  verdicts) limit 420 sh \
    -c "sh grader/tests/gpu/slowed/make.sh &&
      build/bin/repeat-verdicts ${TIMES:-20} solutions/lab9 build/slowed/lab9" ;;
  # The attacks are among these, too.
  test) limit 900 make test-gpu ;;
  class) limit 1800 sh grader/tests/class/time-class.sh gpu 100 20 ;;
  bench) limit 300 make bench ;;
  esac
}

limit() {
  seconds=$1
  shift
  timeout -k 10 "$seconds" "$@"
}

failed=0
: >"$folder/table"
for name in "$@"; do
  start=$(date +%s)
  step "$name" >"$folder/$name" 2>&1
  status=$?
  [ "$status" -eq 0 ] || failed=1
  case $status in
  0) end='well' ;;
  124 | 137) end='cut off' ;;
  *) end="status $status" ;;
  esac
  printf '%-10s %-9s %4d s  %s\n' "$name" "$end" $(($(date +%s) - start)) \
    "$(grep . "$folder/$name" | tail -n 1 | cut -c1-110)" | tee -a "$folder/table"
done
exit $failed
