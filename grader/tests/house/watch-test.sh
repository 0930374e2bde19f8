#!/bin/sh
# Lets a batch watch a folder. In: a folder to which a submission comes while the batch waits. Out: exit 0 if
# it is graded without being asked, nobody else is graded again, the board names nobody, and a signal ends it.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
pid=
finish() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}
# wait_for WHAT NAME: until NAME is in the grades.
wait_for() {
  tries=0
  until grep -qs "$2" "$work/grades/grades.csv" || [ $tries = 3000 ]; do
    tries=$((tries + 1))
    sleep 0.2
  done
  [ $tries -lt 3000 ] || fail "waited too long for $1"
}

mkdir -p "$work/class/anna"
cp grader/tests/submissions/does-not-compile.cu "$work/class/anna/1-bulk-copy-1d.cu"
build/bin/grader batch lab9/1 "$work/class" --out "$work/grades" --device virtual --watch --board \
  >"$work/said" 2>&1 &
pid=$!
wait_for 'the first report' '"anna"'
mkdir "$work/bobby"
cp labs/lab9/1-bulk-copy-1d.cu "$work/bobby/"
mv "$work/bobby" "$work/class/"
wait_for 'who came later' '"bobby"'
grep -q '"bobby"' "$work/grades/report.html" || grep -q bobby "$work/grades/report.html" ||
  fail 'the report is not refreshed'
[ "$(grep -c '^anna .* points$' "$work/said")" = 1 ] || fail 'who was graded before is graded again'
[ -s "$work/grades/board.html" ] || fail 'there is no board'
grep -q '<td>1-bulk-copy-1d</td><td>1</td><td>0 of 2' "$work/grades/board.html" ||
  fail 'the board does not count who has begun and who passes'
! grep -q -e anna -e bobby "$work/grades/board.html" || fail 'the board names somebody'
kill -INT "$pid"
status=0
wait "$pid" || status=$?
pid=
[ "$status" = 0 ] || fail "stopped by a signal, it ended with $status, not 0"
