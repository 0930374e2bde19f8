#!/bin/sh
# Follows docs/instructor/grading.md with two labs of one course, from the platform's exports to sheets with
# grades. In: STUDENTS generated submissions per lab, 9 if not given (STUDENTS=200: some ten minutes on two
# cores). Out: exit 0 if each line of the manual that is followed stands there, and everybody has the points
# of their own work in the right line.
set -eu
cd "$(dirname "$0")/../../.."
students=${STUDENTS:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$PWD/build" "$work/build"
page=docs/instructor/grading.md

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}
# follow LAB LINE: runs a line of the manual, with the names of this test in it.
follow() {
  grep -qxF "    $2" $page || fail "the manual has no line: $2"
  line=$(echo "$2" | sed "s,lab9,$1,g; s,export.zip,$1.zip,; s,gradebook.csv,$1.csv,
    s,--column \"Lab 9\",,")
  case $line in
    make*) (env -u MAKELEVEL -u MAKEFLAGS sh -c "${line%=*}=$work/${line##*=} OUT=$work/grades/$1") ;;
    *) (cd "$work" && sh -c "$line --device virtual") ;;
  esac >"$work/said" 2>&1 || [ $? = 1 ] || fail "this line of the manual fails: $line"
}
points() {
  python3 - "$work/grades/$1/sheet.csv" "$work/$1.expected" <<'PYTHON'
import csv, sys
grades = {row['Identifier']: row for row in csv.DictReader(open(sys.argv[1], encoding='utf-8', newline=''))}
best = max(float(row['Grade']) for row in grades.values() if row['Grade'])
assert best > 0, 'nobody has points'
for identifier, kind in csv.reader(open(sys.argv[2], encoding='utf-8')):
    row = grades[identifier]
    assert float(row['Grade']) == (best if kind == 'solution' else 0), (kind, row)
    assert row['Feedback comments'], row
assert grades['Participant 9999']['Grade'] == '', 'somebody without a submission has a grade'
PYTHON
}

python3 grader/tests/class/make-week.py "$work" "$students"
fill_in='build/bin/grader batch lab9 export.zip --out grades/lab9 --sheet gradebook.csv --column "Lab 9"'
for lab in lab8 lab9; do
  follow $lab 'make grade LAB=lab9 SUBMISSIONS=export.zip'
  [ "$(find "$work/grades/$lab/results" -name '*.json' | wc -l)" = "$students" ] ||
    fail 'not everybody has a result'
  follow $lab "$fill_in"
  grep -q "^$students of $students are graded already" "$work/said" || fail 'filling in a sheet grades again'
  grep -q 'no submission: Nobody Atall' "$work/said" || fail 'who has not handed in is not named'
  points $lab >"$work/wrong" 2>&1 || fail "$lab: points are not in the right lines: $(cat "$work/wrong")"
done

# A change by hand, and one student anew, as the manual has it.
name=$(sed -n 's/^"\([^"]*_1001\)",.*/\1/p' "$work/grades/lab9/grades.csv")
[ -n "$name" ] || fail 'the second student is not in grades.csv'
printf 'submission,points,comment\n%s,7,an office hour\n' "$name" >"$work/grades/lab9/overrides.csv"
follow lab9 "$fill_in"
grep -q "  $name: 7 of .*, was 0 of .*: .*7 by hand (an office hour)" "$work/said" ||
  fail 'the change by hand is not told'
grep -q '^Participant 1001,.*,7,100.00,Yes,.*an office hour' "$work/grades/lab9/sheet.csv" ||
  fail 'the change by hand is not in the sheet'
[ ! -e "$work/grades/lab8/overrides.csv" ] || fail 'the labs share their changes'
