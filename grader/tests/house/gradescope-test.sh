#!/bin/sh
# Uses Gradescope's autograder as Gradescope does: unzips it, sets it up once, runs it for each submission. A
# folder of this test stands in for /autograder.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh gradescope $$)
trap 'rm -rf "$work"' EXIT
export KIT="$PWD/.kit" # what set-up has fetched once is not fetched again

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

build/bin/grader gradescope-zip lab9 -o "$work/autograder.zip" >"$work/said" 2>&1 || fail 'no zip was made'
export AUTOGRADER="$work/autograder"
mkdir -p "$AUTOGRADER/source" "$AUTOGRADER/submission"
unzip -q "$work/autograder.zip" -d "$AUTOGRADER/source"
cp "$AUTOGRADER/source/run_autograder" "$AUTOGRADER/"
tar -tzf "$AUTOGRADER/source/kit.tar.gz" >"$work/said"
! grep -e '^solutions/' -e '^grader/tests/' "$work/said" || fail 'the zip holds solutions or tests'
grep -q '^grader/hidden/lab9/' "$work/said" || fail 'the zip lacks the hidden cases'

# Whatever happens, there is a result, and it is no pass without a grading.
rm -rf "$AUTOGRADER/results"
sh "$AUTOGRADER/run_autograder" >"$work/said" 2>&1 && fail 'without a kit, run_autograder claims to have run'
grep -q '"score": 0' "$AUTOGRADER/results/results.json" || fail 'without a kit there is no result'

# What has been compiled of the same bytes is not compiled again.
printf '#!/bin/sh\nexec sh %s/grader/tests/known-objects.sh %s "$@"\n' "$PWD" "$PWD" >"$work/cc"
chmod 755 "$work/cc"
env -u MAKELEVEL MAKEFLAGS="CC=$work/cc" sh "$AUTOGRADER/source/setup.sh" >"$work/said" 2>&1 ||
  fail 'setup.sh failed'
cp solutions/lab9/1-bulk-copy-1d.cu "$AUTOGRADER/submission/"
sh "$AUTOGRADER/run_autograder" >"$work/said" 2>&1 ||
  fail 'run_autograder failed for a submission that falls short'
grep -q '"score": 20' "$AUTOGRADER/results/results.json" || fail 'one right exercise is not worth its points'
grep -q '"visibility": "visible"' "$AUTOGRADER/results/results.json" || fail 'no visibility'

# The archive of make handin, uploaded as it is: Gradescope unpacks zip files only. Then a folder, as from a
# zip file.
rm "$AUTOGRADER/submission/1-bulk-copy-1d.cu"
mkdir "$work/lab9"
cp solutions/lab9/1-bulk-copy-1d.cu "$work/lab9/"
tar -czf "$AUTOGRADER/submission/lab9-handin.tar.gz" -C "$work" lab9
sh "$AUTOGRADER/run_autograder" >"$work/said" 2>&1 || fail 'run_autograder failed for an archive'
grep -q '^  "score": 20' "$AUTOGRADER/results/results.json" ||
  fail 'the archive that make handin packs is not taken'
rm "$AUTOGRADER/submission/lab9-handin.tar.gz"
mv "$work/lab9" "$AUTOGRADER/submission/"
sh "$AUTOGRADER/run_autograder" >"$work/said" 2>&1 ||
  fail 'run_autograder failed for a folder in the submission'
grep -q '^  "score": 20' "$AUTOGRADER/results/results.json" ||
  fail 'a folder in the submission is not looked into'
rm -r "$AUTOGRADER/submission/lab9"
head -c 2000 /dev/urandom >"$AUTOGRADER/submission/lab9.zip"
sh "$AUTOGRADER/run_autograder" >"$work/said" 2>&1 || fail 'run_autograder failed for a broken archive'
grep -q 'this one holds no .cu file at all' "$AUTOGRADER/results/results.json" ||
  fail 'a submission with nothing in it is not told so'
cp "$AUTOGRADER/results/results.json" "$AUTOGRADER/results/gradescope-last.json"
sh grader/tests/formats/consume.sh "$AUTOGRADER/results" >"$work/said" 2>&1 ||
  fail 'a result is not as Gradescope wants it'
