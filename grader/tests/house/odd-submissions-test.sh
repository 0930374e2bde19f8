#!/bin/sh
# Tries things that students and instructors do and that nobody planned for. Out: exit 0 if nothing that was
# handed in is lost or skipped silently, if no name and no place decides a grade, and if each result can be
# told apart and explained afterwards.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh odd-submissions $$)
trap 'rm -rf "$work"' EXIT
grader=$PWD/build/bin/grader
solution=solutions/lab9/1-bulk-copy-1d.cu
class=$work/class
out="$work/Übung 9"

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# batch STATUS SUBMISSIONS WORDS..: grades the first exercise of them.
batch() {
  wanted=$1
  shift
  status=0
  timeout 2000 "$grader" batch lab9/1 "$@" --device virtual --seed 7 >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "the batch of $1 ended with $status, not $wanted"
}
# row NAME SCORE NOTES: grades.csv has this line.
row() {
  grep -qxF "\"$1\",\"$1\",$2,\"$3\"" "$out/grades.csv" ||
    fail "of $1, grades.csv does not say $2, $3: $(grep "^\"$1\"" "$out/grades.csv")"
}
columns=submission,name,score,notes

# ---- files where nobody looks, and under names of their own ----

for name in again/v1 again/v2 beside both broken moved notepad other rar; do mkdir -p "$class/$name"; done
mkdir "$work/zip"
echo '#error this is an old one' >"$work/zip/1-bulk-copy-1d.cu"
(cd "$work/zip" && zip -q "$class/beside/old.zip" 1-bulk-copy-1d.cu)
cp $solution "$class/beside/1-bulk-copy-1d (1).cu"
cp $solution "$work/zip/1-bulk-copy-1d.cu"
(cd "$work/zip" && zip -q "$class/both/b.zip" 1-bulk-copy-1d.cu &&
  zip -q "$class/both/a.zip" 1-bulk-copy-1d.cu)
awk -f grader/tests/corpus/mutate.awk grader/tests/mutants/lab9-1-no-fence.mutant $solution \
  >"$class/broken/1-bulk-copy-1d.cu"
iconv -f UTF-8 -t UTF-16 $solution >"$class/notepad/1-bulk-copy-1d.cu"
echo '%PDF' >"$class/other/report.pdf"
echo 'Rar!' >"$class/rar/lab.rar"
cp $solution "$class/moved/1-bulk-copy-1d.cu"
cp labs/lab9/1-bulk-copy-1d.cu "$class/again/v1/"
cp $solution "$class/again/v2/"
batch 1 "$class" --out "$out" --columns $columns
row beside 20 "old.zip was not opened: everything was found before; \
1-bulk-copy-1d (1).cu was taken for 1-bulk-copy-1d.cu"
row again 20 "1-bulk-copy-1d.cu: 2 files of that name; \
v2/1-bulk-copy-1d.cu was taken, not v1/1-bulk-copy-1d.cu"
row both 20 'b.zip was not opened: everything was found before'
row notepad 0 ''
row other 0 '1-bulk-copy-1d.cu is missing; there is report.pdf'
row rar 0 "lab.rar was not opened: rar is not read, only zip, tar and 7z; hand in one of these, \
or what make handin packs; 1-bulk-copy-1d.cu is missing; there is lab.rar"
grep -q 'is UTF-16 text' "$out/feedback/notepad.txt" || fail 'a file in UTF-16 is not told so'
grep -q '^  lab.rar was not opened' "$out/feedback/rar.txt" ||
  fail 'what was left out is not in the text that a student gets'
grep -q '"notes": "lab.rar was not opened' "$out/feedback/rar.json" ||
  fail 'what was left out is not in the JSON that a student gets'

# ---- a place that no #line can name, and one that results are carried away from ----

grep -q '^  1-bulk-copy-1d.cu:[0-9]*    tile' "$out/feedback/broken.txt" ||
  fail 'below a folder with an umlaut, the lines of a broken rule are not quoted'
mv "$out" "$work/elsewhere"
out=$work/elsewhere
batch 1 "$class" --out "$out"
grep -q '^8 of 8 are graded already' "$work/said" || fail 'carried elsewhere, the results were not kept'
grep -q '^"beside",pass,20,.*,"beside",' "$out/grades.csv" || fail 'the usual columns lack the name'
! grep -rqF "$work" "$out/feedback" ||
  fail "feedback tells places of the instructor's: $(grep -rlF "$work" "$out/feedback")"

# ---- what has changed since, and who is gone ----

rm -r "$class/moved"
batch 1 "$class" --out "$out" --deadline 9
grep -q '^changed since the last run, so what was graded before is graded anew: --deadline$' "$work/said" ||
  fail 'it is not said why all are graded anew'
grep -q '^results: moved: graded before, and not among the submissions now' "$work/said" ||
  fail 'it is not said whose result is left over'
grep -q 'results: moved: graded before' "$out/report.html" ||
  fail 'the page does not say whose result is left over'
[ ! -e "$out/feedback/moved.txt" ] || fail 'a page that belongs to nobody lies among the others'
for file in former/moved.txt results/moved.json; do
  [ -e "$out/$file" ] || fail "who has gone has lost $file"
done

# ---- what cannot be read here is not missing: nobody gets no points for it ----

as_another=
[ "$(id -u)" != 0 ] || as_another='setpriv --reuid=65534 --regid=65534 --clear-groups'
mkdir -p "$work/closed/ann" "$work/closed-out"
cp $solution "$work/closed/ann/"
(cd "$work/closed/ann" && zip -q ../bob.zip 1-bulk-copy-1d.cu)
chmod 755 "$work"
chmod 777 "$work/closed-out"
for place in ann ann/1-bulk-copy-1d.cu bob.zip; do
  chmod a= "$work/closed/$place"
  status=0
  $as_another build/bin/grader batch lab9/1 "$work/closed" --out "$work/closed-out/$$" --device virtual \
    >"$work/said" 2>&1 || status=$?
  chmod u=rwX,go=rX "$work/closed/$place"
  [ "$status" = 2 ] || fail "$place cannot be read, and the batch ended with $status, not 2"
  grep -q "closed/$place: Permission denied" "$work/said" || fail "it is not said that $place cannot be read"
done

# ---- the export lies in the folder that was named ----

mkdir -p "$work/export/Ann Lee_1_assignsubmission_file" "$work/export/Bo Ek_2_assignsubmission_file" \
  "$work/downloads" "$work/numbers/submission_1" "$work/numbers/submission_2"
cp $solution "$work/export/Ann Lee_1_assignsubmission_file/"
cp $solution "$work/export/Bo Ek_2_assignsubmission_file/"
(cd "$work/export" && zip -qr ../downloads/export.zip . &&
  cp ../downloads/export.zip '../downloads/export (1).zip')
batch 2 "$work/downloads" --out "$work/downloaded"
grep -q 'downloads/export.zip holds the files of several students: give batch that by itself' "$work/said" ||
  fail 'an export is taken for a submission'
[ ! -e "$work/downloaded/grades.csv" ] || fail 'there are grades of an export that was taken for a submission'

cp $solution "$work/numbers/submission_1/"
batch 1 "$work/numbers" --out "$work/numbered"
grep -q '^submission_metadata.yml: is not there to say who handed in submission_1 and 1 more$' "$work/said" ||
  fail 'it is not said that names are missing'

mkfifo "$work/numbers/submission_metadata.yml"
timeout 1000 "$grader" batch lab9/1 "$work/numbers" --out "$work/numbered" --device virtual \
  >"$work/said" 2>&1 || :
grep -q 'submission_metadata.yml: cannot be read' "$work/said" ||
  fail 'it is not said that a pipe cannot be read'

# ---- one submission by itself is looked through in the same way ----

mkdir "$work/one"
mv "$class/beside/1-bulk-copy-1d (1).cu" "$work/one/"
sed 's/expect_bytes_and_arrive/expect_nothing/' solutions/lab9/2-tiles-2d.cu >"$work/zip/2-tiles-2d.cu"
(cd "$work/zip" && zip -q "$work/one/rest.zip" 2-tiles-2d.cu)
$grader grade lab9 --submission "$work/one" --device virtual --format gradescope -o "$work/results.json" \
  >"$work/said" 2>&1 || [ $? = 1 ] || fail 'one submission is not graded'
grep -q '1-bulk-copy-1d (1).cu was taken for 1-bulk-copy-1d.cu' "$work/said" ||
  fail 'grade does not say under what name it found the file'
grep -q '^  "score": 20.0' "$work/results.json" ||
  fail 'grade does not take a file that a browser has numbered'
grep -q 'output": "does not compile.*2-tiles-2d.cu(' "$work/results.json" ||
  fail 'grade does not look into the archive beside the file'
! grep -q tma-lab- "$work/results.json" || fail 'a student is told a scratch folder'
