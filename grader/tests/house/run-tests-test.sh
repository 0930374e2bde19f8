#!/bin/sh
# In: run-tests.sh with a plan of this test's own. Out: exit 0 if tests are counted, failures are printed
# whole, groups are told in the order of the plan, and long tests come first.
# The idea: whoever believes `make test` believes this script.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tests"
cp grader/tests/run-tests.sh "$work/tests"
printf '20 second slow\n30 third slowest\n' >"$work/tests/longest.txt"
cat >"$work/plan" <<'PLAN'
first|quick|60|echo first quick >>order
first|two parts|60|printf '[==========] 5 test(s) run.\n[  PASSED  ] 5 test(s).\n'
second|mixed|60|printf '[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s), listed below:\n'; exit 2
second|slow|60|echo second slow >>order
second|pipes|60|echo 'one | two' | grep -q 'one | two' && printf '%s\n' "as 'it' is \\ there"
third|hangs|1|echo begun; sleep 60
third|slowest|60|echo third slowest >>order
third|fails|60|echo said so; echo complained >&2; exit 7
PLAN
echo 'cat plan' >"$work/tests/plan.sh"
failed=0
# says TEXT: the run printed that line.
says() {
  grep -qxF -- "$1" "$work/printed" || { echo "does not print: $1"; failed=1; }
}
# expects STATUS BUILT [DEVICE]
expects() {
  status=0
  (cd "$work" && rm -f order && JOBS=1 sh tests/run-tests.sh "${3:-virtual}" "$2") \
    >"$work/printed" 2>&1 || status=$?
  [ "$status" = "$1" ] || { echo "exit $status, expected $1"; failed=1; }
}

expects 1 0
says 'build              1 passed'
says 'first              6 passed'
says 'second             5 passed, 2 failed'
says 'third              1 passed, 2 failed'
says '---- failed: second mixed: exit 2'
says '---- failed: third hangs: exit 124'
says 'stopped after 1 s: it hangs, or this machine is far too busy'
says '---- failed: third fails: exit 7'
says 'said so'
says 'complained'
# shellcheck disable=SC2016 # as it is printed
says '$ echo said so; echo complained >&2; exit 7'
says '13 passed, 4 failed'
groups=$(sed -n 's/  *[0-9]* passed.*//p' "$work/printed" | paste -s -d ' ')
[ "$groups" = 'build first second third' ] || { echo "not in the order of the plan: $groups"; failed=1; }
[ "$(paste -s -d , "$work/order")" = 'third slowest,second slow,first quick' ] ||
  { echo "not the longest first: $(paste -s -d , "$work/order")"; failed=1; }
grep -qxF "as 'it' is \ there" "$work"/build/tests/results-virtual/6/output ||
  { echo 'a command was changed on its way'; failed=1; }
grep -qxE '[0-9]+\.[0-9][0-9] 1\.[0-9][0-9] third hangs' "$work"/build/tests/results-virtual/7/seconds ||
  { echo "seconds: $(cat "$work"/build/tests/results-virtual/7/seconds)"; failed=1; }

# What was not built is a failure.
expects 1 3
says '---- failed: build all parts: exit 3'
says '12 passed, 5 failed'

# All pass.
sed -i '/mixed\|hangs\|fails/d' "$work/plan"
expects 0 0
says '10 passed, 0 failed'

# A GPU's groups wait for one another.
expects 0 0 gpu
says '10 passed, 0 failed'
[ "$(paste -s -d , "$work/order")" = 'first quick,second slow,third slowest' ] ||
  { echo "groups of a GPU are mixed: $(paste -s -d , "$work/order")"; failed=1; }
[ "$failed" = 0 ] || cat "$work/printed"
exit $failed
