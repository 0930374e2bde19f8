#!/bin/sh
# In: files of grader/tests/submissions (all of them when none is given). Out: exit 0 if each gets the verdict
# written in it:
#   // submission: EXERCISE          the exercise of lab9 that the file is handed in for, or LAB/EXERCISE
#   // after: FILE                   FILE is put in front of it
#   // change: SED                   FILE is changed by this sed command first, or else the lab's headers
#   // deadline: SECONDS             for one that ends only by the deadline; others get a very generous one
#   // asks: grade                   hidden cases are tried, too, which `check` doesn't
#   // expect: exit N                the grader's exit status
#   // expect: says TEXT             TEXT is in the grader's output
#   // expect: silent about TEXT     TEXT is not in the grader's output
#   // expect: edits TEXT            TEXT is in the line that the output names after "Edit"
# NAME without a folder is looked for in grader/tests/submissions. `labs` stands for the untouched skeletons.
set -u
tests=$(dirname "$0")
scratch=$(sh "$tests/work-folder.sh" "submissions-$(basename "${1:-all}")" $$)
trap 'rm -rf "$scratch"' EXIT
failed=0

complain() {
  echo "$1"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

edited_line() {
  line=$(sed -n 's,^Edit  [^ ]*:\([0-9]*\)\( (.*)\)*$,\1,p' "$scratch/output")
  sed -n "${line}p" "$scratch/folder/$exercise.cu"
}

check_expectations() {
  sed -n 's,^// expect: ,,p' "$1" >"$scratch/expectations"
  [ -s "$scratch/expectations" ] || complain "$1: expects nothing"
  while IFS= read -r line; do
    case $line in
    "exit "*) [ "$status" = "${line#exit }" ] || complain "$1: exit $status, expected ${line#exit }" ;;
    "says "*) grep -qF -- "${line#says }" "$scratch/output" || complain "$1: does not say: ${line#says }" ;;
    "silent about "*) ! grep -qF -- "${line#silent about }" "$scratch/output" ||
      complain "$1: says: ${line#silent about }" ;;
    "edits "*) edited_line | grep -qF -- "${line#edits }" ||
      complain "$1: does not edit '${line#edits }' but '$(edited_line)'" ;;
    *) complain "$1: unknown expectation: $line" ;;
    esac
  done <"$scratch/expectations"
}

# Puts the lab's headers that $change changes beside the submission.
change_headers() {
  changed=''
  sed -n "s,^#include \"\(.*\.cuh\)\"$,labs/$lab/\1,p" "$before" >"$scratch/headers"
  while read -r header; do
    [ -e "$header" ] || continue
    sed -e "$change" "$header" >"$scratch/changed"
    if cmp -s "$scratch/changed" "$header"; then continue; fi
    cp "$scratch/changed" "$scratch/folder/${header##*/}"
    changed=yes
  done <"$scratch/headers"
  [ "$changed" ] || complain "$1: changes nothing"
}

check_submission() {
  exercise=$(sed -n 's,^// submission: ,,p' "$1")
  case $exercise in */*) lab=${exercise%%/*} exercise=${exercise#*/} ;; *) lab=lab9 ;; esac
  rm -rf "$scratch/folder"
  mkdir "$scratch/folder"
  before=$(sed -n 's,^// after: ,,p' "$1")
  change=$(sed -n 's,^// change: ,,p' "$1")
  { [ -z "$before" ] || sed -e "$change" "$before"; cat "$1"; } >"$scratch/folder/$exercise.cu"
  if [ -n "$change" ] && sed -e "$change" "$before" | cmp -s - "$before"; then change_headers "$1"; fi
  deadline=$(sed -n 's,^// deadline: ,,p' "$1")
  asks=$(sed -n 's,^// asks: ,,p' "$1")
  status=0
  build/bin/grader "${asks:-check}" "$lab/$exercise" --submission "$scratch/folder" --device virtual \
    --seed 1 --deadline "${deadline:-100}" >"$scratch/output" 2>&1 || status=$?
  check_expectations "$1"
}

# Untouched skeletons are recognised. A skeleton with any change gets a helpful verdict.
check_skeletons() {
  status=0
  build/bin/grader check lab9 --submission labs/lab9 --device virtual >"$scratch/output" 2>&1 || status=$?
  [ "$status" = 1 ] || complain "labs/lab9: exit $status, expected 1"
  for skeleton in labs/lab9/*.cu; do
    name=$(basename "$skeleton" .cu)
    grep -q "$name  *not started" "$scratch/output" ||
      complain "$skeleton is not recognised: in labs/lab9/lab.cfg, its skeleton must be \"$(build/bin/grader \
        fingerprint "$skeleton")\""
  done
  mkdir "$scratch/begun"
  for skeleton in labs/lab9/*.cu; do { cat "$skeleton"; echo '// begun'; } \
    >"$scratch/begun/$(basename "$skeleton")"; done
  status=0
  build/bin/grader check lab9 --submission "$scratch/begun" --device virtual --seed 1 --deadline 100 \
    >"$scratch/output" 2>&1 || status=$?
  [ "$status" = 1 ] || complain "skeletons begun: exit $status, expected 1"
  [ "$(grep -c 'build ok .*falls short' "$scratch/output")" = 4 ] ||
    complain "skeletons begun: not all four build and fall short"
  grep -q 'hint: make hint-1' "$scratch/output" || complain "skeletons begun: no hint"
}

[ $# -gt 0 ] || set -- labs "$tests"/submissions/*.cu
for submission in "$@"; do
  case $submission in
  labs) check_skeletons ;;
  */*) check_submission "$submission" ;;
  *) check_submission "$tests/submissions/$submission.cu" ;;
  esac
done
exit $failed
