#!/bin/sh
# Grades a class from two exports of Canvas, submissions and gradebook. In the gradebook that goes back,
# points are in their cells and nothing else has changed; students without a line or without a submission are
# named. A program of other people reads the sheet as well.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

mkdir "$work/export"
cp solutions/lab9/1-bulk-copy-1d.cu "$work/export/leeann_101_9001_1-bulk-copy-1d-1.cu"
(cd labs && tar -czf "$work/export/ekbo_LATE_102_9002_lab9.tar.gz" lab9)
cp labs/lab9/1-bulk-copy-1d.cu "$work/export/utdi_104_9004_1-bulk-copy-1d.cu"
(cd "$work/export" && tar -cf "$work/submissions.tar" ./*)
byte_order_mark=$(printf '\357\273\277')
printf '%s\r\n' "${byte_order_mark}Student,ID,SIS User ID,SIS Login ID,Section,Lab 9 (78),Notes" \
  '    Points Possible,,,,,20.00,(read only)' '"Lee, Ann",101,9,ann,"A ""1""",,"x, y"' \
  '"Ek, Bo",102,8,bo,A,3,' '"Ox, Cy",103,7,cy,A,,' >"$work/gradebook.csv"

# batch STATUS WORDS..
batch() {
  wanted=$1
  shift
  status=0
  timeout 2000 build/bin/grader batch lab9/1 "$work/submissions.tar" --out "$work/grades" --device virtual \
    "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "batch ended with $status, not $wanted"
}

batch 2 --sheet "$work/gradebook.csv" --column 'Lab 8'
# shellcheck disable=SC2016  # those are the words
grep -q 'no column `Lab 8` for the points: name one with --column, of `Student`' "$work/said" ||
  fail 'a column that is not there is not named'
[ ! -d "$work/grades/results" ] || [ -z "$(ls "$work/grades/results")" ] ||
  fail 'graded before the sheet was looked at'
batch 1 --sheet "$work/gradebook.csv" --column 'Lab 9'
# shellcheck disable=SC2016
for line in 'not filled in: utdi_104: no line of the sheet has this ID' 'no submission: Ox, Cy (line 5)' \
  'replaced: Ek, Bo had 3, gets 0' \
  '2 of 3 submissions are in the column `Lab 9 (78)`'; do
  grep -q -F "$line" "$work/said" || fail "the batch does not say: $line"
done
sed 's/\(A ""1""",\)/\120/; s/A,3,/A,0,/' "$work/gradebook.csv" >"$work/expected"
cmp "$work/expected" "$work/grades/sheet.csv" ||
  fail 'the sheet is not the one that was exported, with points'

# Without another grading, for another sheet.
batch 1 --sheet "$work/gradebook.csv" --column 'lab 9'
grep -q '3 of 3 are graded already' "$work/said" || fail 'filling in a sheet grades again'
if command -v python3 >/dev/null; then
  python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8-sig", newline="")))
assert [row["Lab 9 (78)"] for row in rows] == ["20.00", "20", "0", ""], rows
assert rows[1]["Student"] == "Lee, Ann" and rows[1]["Section"] == "A \"1\"", rows
assert rows[1]["Notes"] == "x, y", rows
' "$work/grades/sheet.csv" || fail 'another reader finds other cells'
fi
