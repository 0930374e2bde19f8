#!/bin/sh
# Grades exports in the form of each platform, from the zip file to the grades, and checks who is who and
# whose files are whose. Some submissions are hostile archives: each is refused, with the reason in its
# author's row. Nothing is written outside the output folder, and everybody else is graded.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 grader/tests/class/make-exports.py "$work" solutions/lab9 labs/lab9

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# batch EXPORT STATUS WORDS..: grades it into a folder named after it.
batch() {
  export=$1
  wanted=$2
  shift 2
  out=$work/out-$(basename "$export")
  status=0
  timeout 2000 build/bin/grader batch lab9/1 "$export" --out "$out" --device virtual --seed 7 "$@" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "$(basename "$export"): the batch ended with $status, not $wanted"
}
# rows TEXT: grades.csv is that, line by line, below its heading.
rows() {
  printf '%s\n' "$1" >"$work/wanted"
  tail -n +2 "$out/grades.csv" | cmp -s - "$work/wanted" || fail "$(basename "$out"): the grades are
$(tail -n +2 "$out/grades.csv" | diff - "$work/wanted")"
}

# ---- who is who ----

batch "$work/gradescope.zip" 1 --columns submission,name,id,email,score
rows '"submission_5001","Ann Lee","4711","ann@example.edu",20
"submission_5001","Bo Ek","4799","bo@example.edu",20
"submission_5002","Zoë Ek","4712","zoe@example.edu",0'
grep -q '2 submissions (Gradescope)' "$out/report.html" ||
  fail 'the page does not say where the submissions come from'
# The same, unpacked by hand: the folder that the archive made, or the one in it.
mkdir "$work/unpacked"
(cd "$work/unpacked" && unzip -q "$work/gradescope.zip")
batch "$work/unpacked" 1 --columns submission,name,id,email,score
cmp -s "$out/grades.csv" "$work/out-gradescope.zip/grades.csv" ||
  fail 'unpacked by hand, the export gives other grades'

batch "$work/moodle.zip" 1 --columns name,id,score
rows '"Ann Lee","123",20
"Bo van der Ek","124",20
"Zoë Øst","125",0'
batch "$work/dos.zip" 1 --columns name,id,score
rows '"Zo? Ost","125",0'
grep -q '"full_name": "Zo? Ost"' "$out"/results/*.json || fail 'of a name in another encoding nothing is left'
batch "$work/moodle-flat.zip" 1 --columns name,id,score
rows '"Ann Lee","123",20
"Bo van der Ek","124",0'

batch "$work/canvas.zip" 1 --columns name,id,late,score
rows '"ekbo","102",late,20
"leeann","101",,20
"ostzoe","103",,0'

grep -q '2 files of that name; ekbo_LATE_102_9003_1-bulk-copy-1d-1.cu was taken' "$out/report.html" ||
  fail 'which of two submissions was taken is not said'

batch "$work/folders" 1 --columns submission,score,notes
rows '"ann",20,""
"bo",20,""
"cy",20,""
"dee",0,"1-bulk-copy-1d.cu is missing; there is README.txt"
"zo-da3b441b",20,""'
grep -q '^Notes on what was handed in: 1 on single submissions, 0 on the whole; they are in report.html' \
  "$work/said" || fail 'at the end it is not said that there are notes'
batch "$work/one-student.zip" 0 --columns submission,score
rows '"ann",20'

# ---- hostile ones ----

batch "$work/hostile.zip" 1 --columns submission,score,notes
grep -q '^"fine",20,""$' "$out/grades.csv" || fail 'the one good submission is not graded'
# refused NAME WORDS: no points, and the reason in the row of the sheet, in the page's, and on the student's
# own page.
refused() {
  grep -q "^\"$1\",0,\".*$2" "$out/grades.csv" ||
    fail "grades.csv does not say of $1: $2: $(grep "^\"$1\"" "$out/grades.csv")"
  sed -n "/id=\"$1\"/,/<\/details>/p" "$out/report.html" | grep -q "$2" ||
    fail "the row of $1 in report.html does not say: $2"
  grep -q "$2" "$out/feedback/$1.html" || fail "the page of $1 does not say: $2"
}
refused absolute 'left out: 1 name that leads outside'
refused climbs 'left out: 2 names that lead outside (..*escaped.cu'
refused device '1 device or pipe (.1-bulk-copy-1d.cu.)'
refused links '1 link (.1-bulk-copy-1d.cu.)'
refused nested '1-bulk-copy-1d.cu is missing'
refused newline '1-bulk-copy-1d.cu is missing'
refused password '1 file with a password'
# asked NAME WORDS: no points and no zero, for nobody knows what its author wrote.
asked() {
  grep -q "^\"$1\",,\".*$2" "$out/grades.csv" ||
    fail "grades.csv does not leave $1 open, with $2: $(grep "^\"$1\"" "$out/grades.csv")"
  grep -q "^Ask $1 to hand in again: $1.zip $2" "$work/said" || fail "it is not said to ask $1"
  grep -q "$1</a>: ask the student to hand in again: $1.zip $2" "$out/report.html" ||
    fail "report.html does not say to ask $1"
  [ ! -e "$out/results/$1.json" ] || fail "$1 is graded, although nobody knows what they wrote"
}
asked broken 'is damaged'
asked bomb 'holds more than 64 MiB'
asked many 'holds more than 5000 files'
asked no-archive 'cannot be read as an archive'
grep -q 'with grader errors, 4 to be asked to hand in again' "$work/said" ||
  fail 'who is to be asked is not counted'
# A name that is two lines, or a tag, or a formula, stays in its cell.
[ "$(grep -c '' "$out/grades.csv")" = 16 ] || fail 'a name with a line end breaks grades.csv'
! grep -q '<script>alert' "$out/report.html" || fail 'a name is taken for a tag'
find "$work" /tmp -maxdepth 1 -name 'escaped*' >"$work/found"
find "$work/out-hostile.zip" -name 'escaped*' -o -type l -o -type p >>"$work/found"
[ ! -s "$work/found" ] || fail "it has escaped: $(cat "$work/found")"
grep -q "^hostile.zip\|left out" "$work/said" || fail 'what is left out of the export itself is not said'

# An export that is itself a bomb, or no archive: said, with nothing graded.
head -c 5000 /dev/urandom >"$work/noise.zip"
batch "$work/noise.zip" 2
grep -q 'noise.zip cannot be read as an archive' "$work/said" ||
  fail 'what is wrong with an export is not said'
[ ! -e "$out/grades.csv" ] || fail 'there are grades of an export that cannot be read'

# Nothing but a link: what was left out is said, not only that nothing is there.
mkdir "$work/links"
ln -s "$work/folders/ann" "$work/links/ann"
batch "$work/links" 2
grep -q '^ann: is neither a folder nor a file, and was left out' "$work/said" ||
  fail 'a folder with a link alone is not told what was left out'

# ---- where results go: never where submissions, or anybody's files, would be lost ----

# refuses WORDS SUBMISSIONS OUT: with status 2, and nothing is removed.
refuses() {
  find "$work/places" | sort >"$work/before"
  status=0
  build/bin/grader batch lab9/1 "$2" --out "$3" --device virtual >"$work/said" 2>&1 || status=$?
  [ "$status" = 2 ] || fail "submissions $2, --out $3: the batch ended with $status, not 2"
  grep -q -e "$1" "$work/said" || fail "submissions $2, --out $3: it is not said: $1"
  find "$work/places" | sort | cmp -s - "$work/before" ||
    fail "submissions $2, --out $3: files have come or gone"
}
mkdir -p "$work/places/all/submissions" "$work/places/grades"
cp -r "$work/folders/." "$work/places/all/submissions"
tar -cf "$work/places/all/export.tar" -C "$work/folders" .
refuses 'lies in the folder of the submissions' "$work/places/all/submissions" \
  "$work/places/all/submissions/grades"
refuses 'lies in the folder of the submissions' "$work/places/all/submissions" \
  "$work/places/all/../all/submissions/"
refuses 'lies where a batch with --out .* writes' "$work/places/all/submissions" "$work/places/all"
(cd "$work/places/all/submissions" && ln -s "$work/places/all" "$work/linked")
refuses 'lies where a batch with --out .* writes' "$work/places/all/submissions/ann" "$work/linked"
refuses 'has a folder submissions in it that no batch has made' "$work/places/all/export.tar" \
  "$work/places/all"
