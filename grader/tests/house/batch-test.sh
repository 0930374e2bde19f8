#!/bin/sh
# Grades a class from the export to the grades. The scores are the same with one job or two, and after the
# batch was stopped or killed in the middle. Only submissions that have changed are graded again. The
# students' reports say nothing about hidden cases.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh batch $$)
trap 'rm -rf "$work"' EXIT
grader=build/bin/grader

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# batch OUT STATUS WORDS..: grades the class into it.
batch() {
  out=$1
  wanted=$2
  shift 2
  status=0
  timeout 2000 $grader batch lab9/1 "$work/class" --out "$out" --device virtual --seed 7 "$@" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "batch ended with $status, not $wanted"
}

# Prints what must be the same however the class was graded.
scores() { cat "$1/grades.csv"; }

# Prints a solution that passes all public cases and fails one hidden case, by its length.
fit_to_public_cases() {
  sed 's/if (count == 0 || /if (count == 262144) return cudaSuccess;\n  if (count == 0 || /' \
    solutions/lab9/1-bulk-copy-1d.cu
}

mkdir -p "$work/class/ann/lab9" "$work/class/bob" "$work/class/cyd" "$work/class/dee" "$work/zip/lab9"
cp solutions/lab9/*.cu "$work/class/ann/lab9/"
cp labs/lab9/*.cu "$work/class/bob/"
fit_to_public_cases >"$work/class/cyd/1-bulk-copy-1d.cu"
grep -q 262144 "$work/class/cyd/1-bulk-copy-1d.cu" || fail 'the solution has changed: nothing was fitted'
awk -f grader/tests/corpus/mutate.awk grader/tests/mutants/lab9-1-no-fence.mutant \
  solutions/lab9/1-bulk-copy-1d.cu >"$work/class/dee/1-bulk-copy-1d.cu"
cp solutions/lab9/*.cu "$work/zip/lab9/"
(cd "$work/zip" && tar -czf "$work/class/eve.tar.gz" lab9)
echo 'this does not compile' >"$work/zip/lab9/1-bulk-copy-1d.cu"
(cd "$work/zip" && tar -cf "$work/class/fay.tar" lab9)
cp grader/tests/submissions/does-not-compile.cu "$work/class/notes.txt"

# ---- one job, then again ----

batch "$work/one" 1 --jobs 1
grep -q '^6 submissions: 2 passed, 4 fell short, 0 with grader errors$' "$work/said" ||
  fail 'the class was not graded as it should be'
grep -q '^"ann",pass,20,20,pass,20,' "$work/one/grades.csv" || fail 'ann does not pass'
grep -q '^"cyd",fail,0,20,fail,0,' "$work/one/grades.csv" ||
  fail 'cyd, who does nothing in a hidden case, gets points'
grep -q '^"dee",fail,' "$work/one/grades.csv" || fail 'dee, without a fence, is not there'
before=$(cksum "$work"/one/results/*)
batch "$work/one" 1 --jobs 2
grep -q '(6 unchanged since they were graded)' "$work/said" || fail 'what had not changed was graded again'
[ "$before" = "$(cksum "$work"/one/results/*)" ] || fail 'results were written again'

# ---- stopped, killed, resumed ----

count_results() {
  find "$1/results" -name '*.json' 2>/dev/null | wc -l
}

# wait_for FOLDER COUNT: until so many results are there.
wait_for() {
  tries=0
  until [ "$(count_results "$1")" -ge "$2" ] || [ $tries = 6000 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
}
# One batch is stopped three times, each time with more results than before, and ends with two jobs.
for signal in INT TERM KILL; do
  results=$(($(count_results "$work/two") + 1)) # one more than the batch before has left
  $grader batch lab9/1 "$work/class" --out "$work/two" --device virtual --seed 7 --jobs 1 >"$work/said" 2>&1 &
  pid=$!
  wait_for "$work/two" $results
  kill -$signal $pid 2>/dev/null || fail "the batch ended before SIG$signal"
  status=0
  wait $pid || status=$?
  [ "$signal" = KILL ] || [ "$status" = 2 ] ||
    fail "stopped by SIG$signal, the batch ended with $status, not 2"
  for result in "$work"/two/results/*.json; do
    tail -n 1 "$result" | grep -q '^}$' || fail "$result is half written"
  done
  cksum "$work"/two/results/*.json >"$work/kept-$signal"
done
# The child of a killed batch ends by itself a moment later.
batch "$work/two" 1 --jobs 2
grep -q 'unchanged since they were graded' "$work/said" || fail 'of a batch that was stopped nothing was kept'
for signal in INT TERM KILL; do
  [ "$(cksum "$work"/two/results/*.json | grep -cxF -f "$work/kept-$signal")" = \
    "$(wc -l <"$work/kept-$signal")" ] || fail "what was graded before SIG$signal was graded again"
done
[ "$(scores "$work/one")" = "$(scores "$work/two")" ] ||
  fail 'stopped, resumed, and with two jobs, the scores differ'

# ---- only what changed ----

cp solutions/lab9/1-bulk-copy-1d.cu "$work/class/dee/1-bulk-copy-1d.cu"
batch "$work/one" 1
grep -q '(5 unchanged since they were graded)' "$work/said" || fail 'not just the one that changed was graded'
grep -q '^"dee",pass,20,20,pass,20,' "$work/one/grades.csv" || fail 'dee, mended, does not pass'

# ---- what a student gets ----

grep -q '"hidden_case": true' "$work/one/results/cyd.json" ||
  fail "the instructor's result does not tell the hidden case"
grep -q 262144 "$work/one/results/cyd.json" || fail "the instructor's result does not tell the sizes"
for file in "$work"/one/feedback/*; do
  ! grep -q -e 262144 -e 'many tiles' -e '"seed"' -e '--seed' -e "$work" "$file" ||
    fail "$file tells a hidden case, the seed or a place"
done
grep -q 'fails in a hidden case' "$work/one/feedback/cyd.html" ||
  fail 'cyd is not told that a hidden case fails'
for format in gradescope junit autolab classroom50 prairielearn; do
  $grader grade lab9/1 --submission "$work/class/cyd" --device virtual --format $format \
    -o "$work/report" || true
  if [ $format = gradescope ]; then
    grep -q '"visibility": "hidden"' "$work/report" || fail 'Gradescope: instructors are not told'
    # Remove the one test that students do not see; the others must not mention the case.
    awk '/"name": ".*the hidden case"/ { skip = 1 } !skip { print } /"visibility": "hidden"/ { skip = 0 }' \
      "$work/report" >"$work/seen"
    mv "$work/seen" "$work/report"
  fi
  ! grep -q -e 'length 262144' -e 'count 262144' -e 'many tiles' "$work/report" ||
    fail "$format tells the hidden case"
done

# ---- the instructor's page, and sheets for platforms ----

for word in '<h2>Scores' 'Exercises by stage' 'Commonest causes' 'id="rows"' \
  'Slowest to grade' 'fits the public cases only' 'notes.txt' \
  '<details class="student"'; do
  grep -q "$word" "$work/one/report.html" || fail "report.html lacks $word"
done
# Pictures are in the page itself.
! sed 's,src="data:,,g; s,http://www.w3.org/,,g' "$work/one/report.html" | grep -q -e 'src=' -e 'https\?://' ||
  fail 'report.html fetches something'
batch "$work/one" 1 --columns canvas
head -n 1 "$work/one/grades.csv" | grep -q '^Student,ID,SIS User ID,SIS Login ID,Section,"Lab 9' ||
  fail 'no Canvas sheet'
sed -n 2p "$work/one/grades.csv" | grep -q '^    Points Possible,,,,,20$' ||
  fail 'no Points Possible for Canvas'
batch "$work/one" 1 --columns moodle
head -n 1 "$work/one/grades.csv" | grep -q '^Identifier,Full name,Email address,Grade,' ||
  fail 'no Moodle sheet'
batch "$work/one" 1 --columns name,percent,late
grep -q '^"cyd",0.00,$' "$work/one/grades.csv" || fail 'columns cannot be chosen'

# ---- a whole export in one archive ----

(cd "$work/class" && tar -cf "$work/export.tar" ann bob)
status=0
$grader batch lab9/1 "$work/export.tar" --out "$work/archive" --device virtual --seed 7 >"$work/said" 2>&1 ||
  status=$?
[ "$status" = 1 ] || fail "an export in one archive: $status, not 1"
grep -q '^2 submissions: 1 passed, 1 fell short' "$work/said" || fail 'an export in one archive is not graded'
