#!/bin/sh
# Changes a class's grades by hand, by deadline and by grading anew. In: four submissions and an
# overrides.csv. Out: exit 0 if what counts, what was measured and the reason stand in every file, if a slip
# in the sheet is named with its line, and if each change since the last report is told with its reason.
# shellcheck disable=SC2016 # backquotes are in the messages
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(sh grader/tests/work-folder.sh overrides $$)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/kit/build" "$work/kit/grader"
for part in bin lib lean runner; do cp -a "build/$part" "$work/kit/build/"; done
cp -a labs interface "$work/kit/"
cp -a grader/hidden "$work/kit/grader/"
cd "$work/kit"
out=$work/out

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}

mkdir "$work/class"
for number in 1 2 3 4; do
  mkdir "$work/class/submission_$number"
  cp "$house/grader/tests/submissions/does-not-compile.cu" \
    "$work/class/submission_$number/1-bulk-copy-1d.cu"
done
cp "$house/solutions/lab9/1-bulk-copy-1d.cu" "$work/class/submission_1/"
cp "$house/solutions/lab9/1-bulk-copy-1d.cu" "$work/class/submission_2/"
{
  echo '---'
  for number in 1 2 3 4; do
    name=$(echo Ann Bo Cy Dee | cut -d' ' -f$number)
    printf 'submission_%s:\n  :submitters:\n  - :name: %s\n' $number "$name"
    printf '    :email: %s@example.edu\n' "$name"
    printf '  :created_at: 2026-11-0%s 10:00:00.5 Z\n' $number
  done
} >"$work/class/submission_metadata.yml"

# batch STATUS WORDS..
batch() {
  wanted=$1
  shift
  status=0
  TZ=UTC timeout 1200 build/bin/grader batch lab9/1 "$work/class" --out "$out" --device virtual \
    --columns submission,score,measured,late_days,by_hand,max_score "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "batch $* ended with $status, not $wanted"
}
# row TEXT
row() { grep -qxF "$1" "$out/grades.csv" || fail "grades.csv lacks $1: $(cat "$out/grades.csv")"; }
says() { grep -qF -- "$1" "$work/said" || fail "the batch does not say: $1"; }

batch 1
row '"submission_1",20,20,,,20'
row '"submission_3",0,0,,,20'
! grep -q 'Changed since' "$work/said" || fail 'the first report says what has changed'

# ---- by hand ----

printf '%s\r\n' 'submission;exercise;points;comment;late_days;extension' 'submission_1;;15,5;;;' \
  'Bo;;-2;"late; ""ill""";;' 'cy@example.edu;1-bulk-copy-1d;4;it was the wrong file;;' 'nobody;;3;;;' \
  >"$out/overrides.csv"
batch 1
row '"submission_1",15.5,20,,"20 measured; 15.5 by hand",20'
row '"submission_2",18,20,,"20 measured; -2 by hand (late; ""ill"")",20'
row '"submission_3",4,0,,"0 measured; 1-bulk-copy-1d: 4 by hand (it was the wrong file)",20'
row '"submission_4",0,0,,,20'
says 'overrides.csv: line 5 changes nothing: there is no submission `nobody`'
says '  submission_2: 18 of 20, was 20 of 20: 20 measured; -2 by hand (late; "ill")'
grep -q '"score": 20' "$out/results/submission_2.json" || fail 'the measured points are lost'
for ending in html txt json; do
  grep -q '20 measured; -2 by hand' "$out/feedback/submission_2.$ending" ||
    fail "the student is not told why the points are others ($ending)"
done
[ "$(grep -c '"submission_' "$out/changes.csv")" = 3 ] || fail 'changes.csv does not hold the changes'
batch 1
! grep -q 'Changed since' "$work/said" || fail 'what has not changed is told again'
[ "$(wc -l <"$out/changes.csv")" = 4 ] || fail 'changes.csv grows although nothing has changed'

# ---- slips ----

cp "$out/overrides.csv" "$work/kept"
slip() {
  printf '%s\n' "$2" >"$out/overrides.csv"
  batch 2
  says "overrides.csv:$1"
}
slip '1: `pionts` is no column of it' 'submission,pionts'
slip '1: there is no column `submission`' 'points,comment'
slip '2: points: `many` is no number of points' "$(printf 'submission,points\nBo,many')"
slip '2: late_days: `-1` is no number of days' "$(printf 'submission,late_days\nBo,-1')"
slip '2: exercise: lab9 has no exercise `1-copy`' "$(printf 'submission,exercise,points\nBo,1-copy,3')"
slip '3: line 2 says so already' "$(printf 'submission,points\nBo,3\nsubmission_2,4')"
slip '2: has 1 cells' "$(printf 'submission,points\nBo')"
cp "$work/kept" "$out/overrides.csv"

# ---- late ----

sed -i 's/^title = .*/&\ndeadline = "2026-11-02 10:00"; late = [0.9, 0.5];/' labs/lab9/lab.cfg
printf '%s\n' submission,late_days,extension,points,comment Ann,1,,, Bo,,,,ill Dee,,3,10, \
  >"$out/overrides.csv"
batch 1
! grep -q ' points$' "$work/said" || fail 'a deadline makes the class graded anew'
row '"submission_1",18,20,1,"20 measured; 1 day late: times 0.9",20'
# Half a second is no day: deadlines count to the minute; a begun day counts.
row '"submission_2",20,20,,"20 measured; by hand (ill)",20'
row '"submission_3",0,0,1,"0 measured; 1 day late: times 0.9",20'
row '"submission_4",10,0,,"0 measured; 10 by hand",20'
sed -i 's/^deadline = "[^"]*"/deadline = "2026-13-02 10:00"/' labs/lab9/lab.cfg
batch 2
says 'deadline: must be a day and a time, such as'
sed -i 's/^deadline = "[^"]*"/deadline = "2026-10-02 10:00"/; s/late = \[0.9/late = [1.9/' labs/lab9/lab.cfg
batch 2
says 'late: must hold numbers from 0.0 to 1.0'
sed -i 's/^deadline.*//' labs/lab9/lab.cfg
rm "$out/overrides.csv"
batch 1

# ---- only one, and one anew ----

cp "$house/solutions/lab9/1-bulk-copy-1d.cu" "$work/class/submission_3/"
cp "$house/solutions/lab9/1-bulk-copy-1d.cu" "$work/class/submission_4/"
batch 1 --only Cy
[ "$(grep -c ' points$' "$work/said")" = 1 ] || fail '--only grades others as well'
row '"submission_3",20,20,,,20'
row '"submission_4",0,0,,,20'
says '  submission_3: 20 of 20, was 0 of 20: the submission is another'
grep -q 'Cy.*the submission is another' "$out/report.html" || fail 'report.html does not say what has changed'
batch 0
says '  submission_4: 20 of 20, was 0 of 20: the submission is another'
before=$(grep '"seconds"' "$out/results/submission_1.json")
batch 0 --regrade submission_1
[ "$(grep -c ' points$' "$work/said")" = 1 ] || fail '--regrade grades others as well'
[ "$before" != "$(grep '"seconds"' "$out/results/submission_1.json")" ] || fail '--regrade grades nothing'
batch 2 --only Nobody
says '--only Nobody: there is no such submission'
batch 2 --only Ann --seed 5
says '--only goes without --seed'

# Other reasons: points in lab.cfg, the kit, the seed.
sed -i '0,/correctness = 10/s//correctness = 12/' labs/lab9/lab.cfg
batch 0
says '  submission_1: 22 of 22, was 20 of 20: other points in lab.cfg'
sed -i '0,/at_least = 1.0/s//at_least = 9.0/' labs/lab9/lab.cfg
batch 1 --seed 5
says '  submission_1: 12 of 22, was 22 of 22: another labs/lab9/lab.cfg, --seed'
tail -n 1 "$out/changes.csv" | grep -q '"Dee",22,22,12,22,"another labs/lab9/lab.cfg, --seed"' ||
  fail 'changes.csv lacks the last change'
