#!/bin/sh
# In: the built grader. Out: exit 0 if its commands keep their contract: exit statuses, named errors, formats,
# a class, and an interruption that leaves nothing behind.
set -u
grader=build/bin/grader
scratch=$(sh grader/tests/work-folder.sh grader $$)
trap 'rm -rf "$scratch"' EXIT
failed=0

complain() {
  echo "$1"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

# expect STATUS TEXT ARGUMENTS: the grader ends with that status and says that text.
expect() {
  wanted=$1
  text=$2
  shift 2
  status=0
  "$grader" "$@" >"$scratch/output" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || complain "grader $*: exit $status, expected $wanted"
  [ -z "$text" ] || grep -qF -- "$text" "$scratch/output" || complain "grader $*: does not say: $text"
}

check_usage() {
  expect 0 'usage: grader check' --help
  expect 2 'usage: grader check'
  expect 2 'there is no command' frobnicate
  expect 2 'which lab? Type: grader check LAB, where LAB is a folder of labs/' check
  expect 2 ' is no LAB or LAB/EXERCISE: LAB is a folder of labs/' check lab9/
  expect 2 'LAB is a folder of labs/' hint lab9
  expect 2 '; there is: lab8, lab9, lab10' check lab0
  expect 2 '; it has 1-bulk-copy-1d, 2-tiles-2d' check lab9/5
  expect 2 'check has no option --frob' check lab9 --frob 1
  expect 2 'a value must follow' check lab9 --seed
  expect 2 '--seed x: must be a whole number' check lab9 --seed x
  expect 2 '--device tpu: must be one of auto, gpu, virtual' check lab9 --device tpu
  expect 2 '--submission /nowhere: No such file' check lab9 --submission /nowhere
  expect 2 'must be a folder of the same shape as labs/lab9' check lab9 --submission Makefile
  expect 2 '--format xml: must be one of text, json, gradescope, junit, autolab' grade lab9 --format xml
  # shellcheck disable=SC2016  # those are the words
  expect 2 'there is no column `shoe_size`' batch lab9 "$scratch" --out "$scratch/grades" \
    --columns score,shoe_size
  expect 2 '--chunk is of --slurm alone' batch lab9 labs/lab9 --out "$scratch/grades" --chunk 3
  expect 2 '--column is the heading in a --sheet' batch lab9 labs/lab9 --out "$scratch/grades" --column X
  expect 2 'is a folder; name the archive to write' handout lab9 -o "$scratch"
  expect 2 'is a folder; name the zip file to write' gradescope-zip lab9 -o "$scratch"
  # shellcheck disable=SC2016  # those are the words
  expect 2 'there is no rule `no-such-rule`; they are above' explain no-such-rule
  expect 2 '; is it this one: proxy-fence' explain PROXY_FENCE
  expect 0 'proxy-fence' explain
  expect 0 'async_proxy_fence' explain proxy-fence
  expect 0 'Hint 2 of 3 for 1-bulk-copy-1d' hint lab9/1-bulk-copy-1d --step 2
  expect 2 'STEP=99: there are hints 1 to 3' hint lab9/1-bulk-copy-1d --step 99
  expect 2 'there is no labs/lab7/1-' hint lab7/1
  expect 0 'CUDA compiler      yes' doctor
  NVCC=/bin/false expect 2 'no       /bin/false compiles nothing: it ends with status 1' doctor
  NVCC=/bin/false expect 2 'NVCC chose it: unset it; make clean and then make setup' doctor
  NVCC=/nowhere expect 2 'none found: make setup says what is missing' doctor
  TMPDIR=/nowhere expect 2 'no folder can be made in /nowhere' doctor
  expect 0 'cbf29ce484222325' fingerprint /dev/null
}

check_formats() {
  formats=$(build/bin/grader --help | sed -n 's/^FORMAT: //p' | tr -d ',.' | sed 's/ or / /')
  [ "$(echo "$formats" | wc -w)" -ge 7 ] || complain "--help lists too few formats: $formats"
  for format in $formats; do
    grep -q -e "--format ${format}[\` ]" docs/instructor/formats.md ||
      complain "docs/instructor/formats.md has no --format $format"
    rm -f "$scratch/report"
    expect 1 '' grade lab9/1 --submission labs/lab9 --device virtual --format "$format" -o "$scratch/report"
    [ -s "$scratch/report" ] || complain "--format $format: nothing written"
    [ -e "$scratch/report.new" ] && complain "--format $format: a temporary file is left"
  done
  expect 0 '"verdict": "pass"' grade lab9/1 --submission solutions/lab9 --device virtual --format json
  expect 0 '<testsuite name="lab9/1-bulk-copy-1d" tests="4" failures="0" errors="0" skipped="1"' \
    grade lab9/1 --submission solutions/lab9 --device virtual --format junit
  expect 0 '"scoreboard":[' grade lab9/1 --submission solutions/lab9 --device virtual --format autolab
  expect 2 'No such file or directory' grade lab9/1 --submission solutions/lab9 \
    -o "$scratch/no/such/folder/report"
}

# The same seed gives the same numbers, and another seed gives other numbers.
check_seeds() {
  mkdir "$scratch/nothing"
  grep -v '^// ' grader/tests/submissions/does-nothing-in-place.cu >"$scratch/nothing/1-bulk-copy-1d.cu"
  for seed in 7 7 8; do
    "$grader" check lab9/1 --submission "$scratch/nothing" --device virtual --seed $seed |
      grep expected >>"$scratch/values"
  done
  [ "$(sort -u "$scratch/values" | wc -l)" = 2 ] ||
    complain "seeds 7, 7, 8 gave $(tr '\n' ' ' <"$scratch/values")"
}

check_class() {
  mkdir -p "$scratch/class/ann" "$scratch/class/=bob"
  cp solutions/lab9/*.cu "$scratch/class/ann"
  cp labs/lab9/*.cu "$scratch/class/=bob"
  : >"$scratch/class/notes"
  expect 1 '2 submissions: 1 passed, 1 fell short, 0 with grader errors' batch lab9/1 "$scratch/class" \
    --out "$scratch/grades" --device virtual
  cp "$scratch/grades/grades.csv" "$scratch/output"
  grep -q '^"ann",pass,\([0-9]*\),\1,pass,' "$scratch/output" || complain 'grades.csv: ann is missing'
  grep -q "^\"'=bob\",fail,0,[0-9]*,not started,0," "$scratch/output" ||
    complain 'grades.csv: =bob is missing, or a formula'
  [ -s "$scratch/grades/results/ann.json" ] || complain 'the JSON of ann is missing'
  [ -s "$scratch/grades/feedback/=bob.txt" ] || complain 'the text for =bob is missing'
}

# Starts a check that would go on for an hour, and returns when the student's program has been built.
start_slow() {
  mkdir -p "$scratch/slow" "$scratch/tmp"
  grep -v '^// ' grader/tests/submissions/sleeps-on-host.cu >"$scratch/slow/1-bulk-copy-1d.cu"
  TMPDIR=$scratch/tmp "$grader" check lab9/1 --submission "$scratch/slow" --device virtual --deadline 3600 \
    >"$scratch/output" 2>&1 &
  pid=$!
  tries=0
  until [ -e "$(echo "$scratch"/tmp/*/runner)" ] || [ $tries = 6000 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  [ $tries -lt 6000 ] || complain 'the runner was never built'
}

# An interruption in the middle leaves no process and no scratch folder.
check_interruption() {
  start_slow
  kill -TERM $pid
  wait $pid 2>/dev/null
  [ -z "$(ls -A "$scratch/tmp")" ] || complain "left behind: $(ls "$scratch/tmp")"
}

# If a process of the grader itself dies, that is a grader error, and it leaves nothing behind either.
check_crash() {
  start_slow
  kill -SEGV "$(cut -d' ' -f1 "/proc/$pid/task/$pid/children")"
  status=0
  wait $pid || status=$?
  [ "$status" = 2 ] || complain "after a crash: exit $status, expected 2"
  grep -q "The grader's process for this exercise died: Segmentation fault" "$scratch/output" ||
    complain 'after a crash: no word of it'
  grep -q "the grader's fault, not yours" "$scratch/output" || complain 'after a crash: whose fault?'
  [ -z "$(ls -A "$scratch/tmp")" ] || complain "left behind: $(ls "$scratch/tmp")"
}

# Outside any sandbox, sandbox-escape sees the files that are there. A home folder that holds nothing but the
# path to the kit is no leak; a home folder with one more file is.
check_escape() {
  mkdir -p "$scratch/home/kit/build/bin"
  cp build/bin/sandbox-escape "$scratch/home/kit/build/bin"
  escape() { (cd "$scratch/home/kit/build/bin" && "$PWD/sandbox-escape" files "$@") >"$scratch/output" 2>&1; }
  escape /nowhere "$scratch/home" || complain 'an empty path to the kit counts as a home that is seen'
  escape /etc/passwd && complain 'a file that is there is not seen'
  : >"$scratch/home/kit/Makefile"
  escape "$scratch/home" && complain 'a file beside the path to the kit is not seen'
  grep -qF "sees $scratch/home/kit/Makefile" "$scratch/output" || complain 'what is seen is not named'
  if "$grader" doctor | grep -q 'all walls hold'; then
    for home in "$PWD" "$(dirname "$PWD")" /; do
      HOME=$home "$grader" doctor >"$scratch/output" 2>&1 ||
        complain "a kit within the home $home: a wall does not hold"
    done
  fi
}

check_usage
check_escape
check_formats
check_seeds
check_class
check_interruption
check_crash
exit $failed
