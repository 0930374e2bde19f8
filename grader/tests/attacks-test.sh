#!/bin/sh
# In: virtual or gpu, then names of grader/tests/attacks (all of them when none is given). Out: exit 0 if each
# attack gets the verdict written in it, with a message that a person understands, and leaves nothing behind.
# An attack is NAME.cu, which is handed in as it is, or NAME.sh, which makes the folder to hand in (its
# argument; $solution is a right answer). Its first lines say, after // or #:
#   attack: EXERCISE            the exercise that it is handed in for
#   tries: WORDS                what it tries
#   honest: yes                 the solution is put in front, its launcher renamed to honest_launch
#   deadline: SECONDS           for an attack that ends only by the deadline; others get a very generous one;
#                               on a GPU, whose context takes a moment, it is at least 3
#   build deadline: SECONDS     the same for the compiler
#   ends within: SECONDS        for an attack that must not wait for the deadline; generous for a busy machine
#   expect: exit N              the grader's exit status
#   expect: says TEXT           TEXT is in the grader's output
#   expect: silent about TEXT   TEXT is not in the grader's output
#   expect on gpu: ...          replaces all expectations above on a GPU
#   expect as user: ...         replaces all expectations above when an ordinary user runs the grader
# @ROOT@ stands for the kit's folder. The idea: nothing defends against an attack that is not tried here.
# One attack alone is handed in at the same place each time, as long as the compiler's walls are the same:
# then the grader knows what it compiles to (grader/referee/program-cache.h), unless that left anything else
# behind.
set -u
root=$(pwd -P)
tests=grader/tests
device=$1
shift

# The checksum of what stands around the compiler.
walls() {
  around=build/obj/grader/sandbox
  [ -d $around ] || around=build/bin/grader
  find $around build/obj/grader/referee/build-stage.o build/obj/grader/referee/intake.o \
    build/bin/sandbox-enter build/bin/sandbox-keep "$(command -v bwrap)" -type f -name '*[!d]' 2>/dev/null |
    LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | cksum | cut -d' ' -f1
}
if [ "$device $#" = 'virtual 1' ]; then
  scratch=$(sh $tests/work-folder.sh "attack-$(basename "$1")-$(walls)" $$)
else
  scratch=$(mktemp -d)
fi
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
  : >"$scratch/expectations"
  [ "$device" = virtual ] || word "$1" 'expect on gpu' >"$scratch/expectations"
  [ -s "$scratch/expectations" ] || [ "$(id -u)" = 0 ] || word "$1" 'expect as user' >"$scratch/expectations"
  [ -s "$scratch/expectations" ] || word "$1" expect >"$scratch/expectations"
  [ -s "$scratch/expectations" ] || complain "$1: expects nothing"
  word "$1" expect | grep -q '^says ' ||
    complain "$1: expects no message: what would tell a person what was tried?"
  while IFS= read -r line; do
    line=$(echo "$line" | sed "s,@ROOT@,$root,g")
    case $line in
    "exit "*) [ "$status" = "${line#exit }" ] || complain "$1: exit $status, expected ${line#exit }" ;;
    "says "*) grep -qF -- "${line#says }" "$scratch/output" || complain "$1: does not say: ${line#says }" ;;
    "silent about "*) ! grep -qF -- "${line#silent about }" "$scratch/output" ||
      complain "$1: says: ${line#silent about }" ;;
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
    for header in "${1%/*}"/*.h; do
      [ ! -e "$header" ] || cp "$header" "$folder"
    done
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
  # Nobody else uses the GPU, so a program that hangs on it is stopped soon.
  deadline=$(word "$1" deadline)
  [ -n "$deadline" ] || { [ "$device" = virtual ] && deadline=100 || deadline=3; }
  [ "$device" = virtual ] || [ "$deadline" -ge 3 ] || deadline=3
  build_deadline=$(word "$1" 'build deadline')
  status=0
  began=$(date +%s)
  TMPDIR=$scratch/tmp TMA_LAB_SECRET=the-grader-s-own "${GRADER:-build/bin/grader}" grade "lab9/$exercise" \
    --submission "$folder" \
    --device "$device" --seed 1 --deadline "$deadline" --build-deadline "${build_deadline:-900}" \
    >"$scratch/output" 2>&1 || status=$?
  took=$(($(date +%s) - began)) within=$(word "$1" 'ends within')
  [ "$took" -le "${within:-$took}" ] || complain "$1: took $took seconds, more than $within"
  check_expectations "$1"
  [ -z "$(ls -A "$scratch/tmp")" ] || complain "$1: left behind: $(ls -A "$scratch/tmp")"
  ! grep -q "$escape" "$scratch/output" || complain "$1: a terminal escape got through"
  ! pgrep -f "$scratch/tmp" >/dev/null || complain "$1: a process was left behind"
  # The line that an instructor reads first.
  echo "$(basename "${1%.*}"): $(sed -n "s,^$exercise \([a-z]\),\1,p; s,^The exercise passes.*,passes,p" \
    "$scratch/output" | head -n 1)"
}

[ $# -gt 0 ] || set -- "$tests"/attacks/*.cu "$tests"/attacks/*.sh
for attack in "$@"; do
  case $attack in
  */*) check_attack "$attack" ;;
  *) check_attack "$(ls "$tests/attacks/$attack".*)" ;;
  esac
done
exit $failed
