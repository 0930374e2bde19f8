#!/bin/sh
# In: virtual or gpu, then names of grader/tests/attacks (all of them when none is given). Out: exit 0 when each gets the verdict
# written in it, leaves nothing behind, and is told in words. An attack is NAME.cu, handed in as it is, or NAME.sh, which makes the
# folder that is handed in (its argument; $solution is a right one). In its first lines, after // or #:
#   attack: EXERCISE            the exercise that it is handed in for
#   tries: WORDS                what it tries
#   honest: yes                 the solution goes before it, its launcher renamed to honest_launch
#   expect: exit N              the grader's exit status
#   expect: says TEXT           somewhere in what it prints
#   expect: silent about TEXT   nowhere in what it prints
#   expect on gpu: ...          instead of all the others, on a GPU
# @ROOT@ stands for the kit's folder. The idea: an attack that is not tried here is not defended against.
set -u
root=$(pwd -P)
tests=grader/tests
device=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
escape=$(printf '\033')

complain() {
  echo "$1"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

# word FILE NAME: what the file says after NAME.
word() {
  sed -n "1,20s,^[/#][/#]* *$2: ,,p" "$1"
}

check_expectations() {
  word "$1" 'expect on gpu' >"$scratch/expectations"
  if [ "$device" = virtual ] || [ ! -s "$scratch/expectations" ]; then word "$1" expect >"$scratch/expectations"; fi
  [ -s "$scratch/expectations" ] || complain "$1: expects nothing"
  word "$1" expect | grep -q '^says ' || complain "$1: expects no message: what would tell a person what was tried?"
  while IFS= read -r line; do
    line=$(echo "$line" | sed "s,@ROOT@,$root,g")
    case $line in
    "exit "*) [ "$status" = "${line#exit }" ] || complain "$1: exit $status, expected ${line#exit }" ;;
    "says "*) grep -qF -- "${line#says }" "$scratch/output" || complain "$1: does not say: ${line#says }" ;;
    "silent about "*) ! grep -qF -- "${line#silent about }" "$scratch/output" || complain "$1: says: ${line#silent about }" ;;
    *) complain "$1: unknown expectation: $line" ;;
    esac
  done <"$scratch/expectations"
}

launcher_of() {
  case $1 in
  1-*) echo launch_bulk_copy_1d ;;
  2-*) echo launch_tiles_2d ;;
  3-*) echo launch_phase_reuse ;;
  4-*) echo launch_store_commit_groups ;;
  esac
}

# Sets $folder to what is handed in.
make_submission() {
  rm -rf "$scratch/hand-in" "$scratch/tmp"
  mkdir "$scratch/hand-in" "$scratch/tmp"
  folder=$scratch/hand-in/folder
  solution=$root/solutions/lab9/$exercise.cu
  case $1 in
  *.sh)
    export root solution exercise
    folder=$(sh "$1" "$folder") || complain "$1: cannot make its folder"
    ;;
  *)
    mkdir "$folder"
    {
      [ -z "$(word "$1" honest)" ] || sed "s/$(launcher_of "$exercise")/honest_launch/g" "$solution"
      sed "s,@ROOT@,$root,g" "$1"
    } >"$folder/$exercise.cu"
    ;;
  esac
}

check_attack() {
  exercise=$(word "$1" attack)
  [ -n "$(word "$1" tries)" ] || complain "$1: says not what it tries"
  : >"$scratch/output"
  make_submission "$1"
  status=0
  TMPDIR=$scratch/tmp TMA_LAB_SECRET=the-grader-s-own build/bin/grader grade "lab9/$exercise" --submission "$folder" \
    --device "$device" --seed 1 --deadline 3 --build-deadline 20 >"$scratch/output" 2>&1 || status=$?
  check_expectations "$1"
  [ -z "$(ls -A "$scratch/tmp")" ] || complain "$1: left behind: $(ls -A "$scratch/tmp")"
  ! grep -q "$escape" "$scratch/output" || complain "$1: a terminal escape got through"
  ! pgrep -f "$scratch/tmp" >/dev/null || complain "$1: a process was left behind"
  # What an instructor reads first.
  echo "$(basename "${1%.*}"): $(sed -n "s,^$exercise \([a-z]\),\1,p; s,^The exercise passes.*,passes,p" "$scratch/output" | head -n 1)"
}

[ $# -gt 0 ] || set -- "$tests"/attacks/*.cu "$tests"/attacks/*.sh
for attack in "$@"; do
  case $attack in
  */*) check_attack "$attack" ;;
  *) check_attack "$(ls "$tests/attacks/$attack".*)" ;;
  esac
done
exit $failed
