#!/bin/sh
# In: a built kit, and a grader that allows an exercise as much processor time as a single call may take. Out:
# exit 0 if an exercise whose every run stays within its own deadline ends when all runs together have taken
# that much, and is told so.
# The idea: the launcher works for 0.7 s of its processor's time, by its own clock, so the run at which it
# ends doesn't depend on the machine.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/hand-in"
sed 's/^\(extern "C" cudaError_t launch_bulk_copy_1d(.*\)$/#include <time.h>\
static void work() {\
  timespec begin, now;\
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, \&begin);\
  do\
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, \&now);\
  while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < 0.7);\
}\
\1\
  work();/' solutions/lab9/1-bulk-copy-1d.cu >"$work/hand-in/1-bulk-copy-1d.cu"
failed=0
expect() { # STATUS SAID SUBMISSION
  status=0
  build/thrifty/bin/grader check lab9/1 --submission "$3" --device virtual --deadline 3 >"$work/said" 2>&1 ||
    status=$?
  [ "$status" = "$1" ] && grep -qF -- "$2" "$work/said" && return
  echo "$3: exit $status, expected $1, with \"$2\""
  sed 's/^/    /' "$work/said"
  failed=1
}
expect 1 'All its runs together took more than 3 s of processor time' "$work/hand-in"
grep -qF '1-bulk-copy-1d takes far too long' "$work/said" || failed=1
expect 0 'The exercise passes' solutions/lab9
exit $failed
