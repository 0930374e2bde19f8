#!/bin/sh
# Runs the whole grader under AddressSanitizer, LeakSanitizer and UBSan: a platform's export with right,
# wrong, broken and hostile submissions becomes grades, pages and the platform's sheet; the batch is resumed;
# every format of report is written. The grades must be the same as without sanitizers.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh sanitized $$)
trap 'rm -rf "$work"' EXIT
tests=grader/tests
sanitized=build/asan/bin/grader
# Every process writes its own report, also one whose output nobody reads.
ASAN_OPTIONS=log_path=$work/found:detect_leaks=1:strict_string_checks=1
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=1
export ASAN_OPTIONS LSAN_OPTIONS="log_path=$work/found" \
  UBSAN_OPTIONS="log_path=$work/found:print_stacktrace=1"

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  for report in "$work"/found*; do [ ! -e "$report" ] || head -n 40 "$report"; done
  exit 1
}
clean() {
  for report in "$work"/found*; do [ ! -e "$report" ] || fail "a sanitizer found something: $1"; done
}

# Canvas's names: NAME_ID_SUBMISSION_FILE.
class=$work/class
mkdir "$class" "$work/lab9"
hand_in() { cat "$2" >"$class/$1_1-bulk-copy-1d.cu"; }
hand_in leeann_101_9001 solutions/lab9/1-bulk-copy-1d.cu
hand_in ekbo_LATE_102_9002 labs/lab9/1-bulk-copy-1d.cu
awk -f $tests/corpus/mutate.awk $tests/mutants/lab9-1-no-fence.mutant solutions/lab9/1-bulk-copy-1d.cu \
  >"$class/oxcy_103_9003_1-bulk-copy-1d.cu"
hand_in utdi_104_9004 $tests/submissions/does-not-compile.cu
hand_in vael_105_9005 $tests/attacks/forged-answers.cu
hand_in wuef_106_9006 $tests/attacks/invalid-utf8.cu
hand_in xify_107_9007 $tests/submissions/ends-before-main.cu
hand_in yago_108_9008 $tests/attacks/ptx-rubbish.cu
head -c 3000 /dev/urandom >"$class/zoha_109_9009_1-bulk-copy-1d.cu"
head -c 3000 /dev/urandom >"$class/abia_110_9010_lab9.zip"
cp solutions/lab9/1-bulk-copy-1d.cu "$work/lab9/"
echo '{"files": {"1-bulk-copy-1d.cu": "0"}}' >"$work/lab9/manifest.json"
ln -s /etc/passwd "$work/lab9/2-tiles-2d.cu"
(cd "$work" && tar -czf "$class/boju_111_9011_lab9.tar.gz" lab9)
dd if=/dev/zero bs=1M count=80 2>/dev/null | gzip -1 >"$class/caki_112_9012_bomb.tar.gz"
(cd "$class" && tar -cf "$work/export.tar" ./*)
printf '%s\n' 'Student,ID,SIS User ID,SIS Login ID,Section,Lab 9 (78)' '    Points Possible,,,,,20' \
  '"Lee, Ann",101,,,,' '"Ek, Bo",102,,,,7' '"Nobody",999,,,,' >"$work/gradebook.csv"

# batch GRADER OUT
batch() {
  status=0
  timeout 2000 "$1" batch lab9/1 "$work/export.tar" --out "$2" --device virtual --seed 3 --deadline 100 \
    --jobs 2 --sheet "$work/gradebook.csv" \
    --column 'Lab 9' >"$work/said" 2>&1 || status=$?
}
batch build/bin/grader "$work/plain"
[ "$status" = 1 ] || fail "the batch without sanitizers ended with $status, not 1"
batch $sanitized "$work/out"
clean 'in a batch'
[ "$status" = 1 ] || fail "the sanitized batch ended with $status, not 1"
ended='12 submissions: 2 passed, 9 fell short, 0 with grader errors, 1 to be asked to hand in again'
grep -qx "$ended" "$work/said" ||
  fail 'the class was not graded as it should be'
for file in grades.csv sheet.csv; do
  cmp "$work/plain/$file" "$work/out/$file" || fail "under the sanitizers $file is another"
done
batch $sanitized "$work/out"
clean 'when a batch is resumed'
grep -qx "$ended (11 unchanged since they were graded)" "$work/said" ||
  fail 'the sanitized batch does not know its own results'

folder=$work/out/submissions/oxcy_103
for format in $(build/bin/grader --help | sed -n 's/^FORMAT: //p' | tr -d ',.' | sed 's/ or / /'); do
  $sanitized grade lab9/1 --submission "$folder" --device virtual --format "$format" -o "$work/report" \
    >"$work/said" 2>&1 || true
  [ -s "$work/report" ] || fail "no report as $format"
  clean "for --format $format"
done
$sanitized check lab9 --submission labs/lab9 --device virtual >"$work/said" 2>&1 || true
$sanitized explain proxy-fence >"$work/said" 2>&1 || fail 'explain fails'
$sanitized doctor >"$work/said" 2>&1 || true
$sanitized nonsense >"$work/said" 2>&1 || true
clean 'in check, explain, doctor or usage'
