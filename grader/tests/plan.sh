#!/bin/sh
# In: virtual or gpu. Out: the tests for that device, one per line: GROUP|NAME|SECONDS|COMMAND.
# SECONDS protect the machine from a test that hangs. They are ten times what a busy machine needs, so they
# decide no result.
# The idea: every source is a test, so a test that wasn't built fails instead of being forgotten.
set -eu
device=$1
tests=grader/tests

# each GROUP SECONDS FILES: prints a test for each file that exists; $command names the file's stem as NAME.
each() {
  group=$1
  seconds=$2
  shift 2
  for file in "$@"; do
    [ -e "$file" ] || continue
    name=${file##*/}
    name=${name%.*}
    words=''
    for word in $command; do
      case $word in
      *NAME*) word=${word%%NAME*}$name${word#*NAME} ;;
      FILE) word=$file ;;
      esac
      words="$words $word"
    done
    echo "$group|$name|$seconds|${words# }"
  done
}

plan_units() {
  command="build/tests/unit/NAME"
  each unit 600 $tests/unit/*-test.c
  command="build/asan/tests/unit/NAME"
  each unit-asan 1200 $tests/unit/*-test.c
  command="sh $tests/fuzz/seeds.sh replay NAME"
  each fuzz-seeds 1200 $tests/fuzz/seeds/*.tar
}

plan_programs() {
  for kind in programs conformance; do
    command="sh $tests/check-program.sh $device $kind NAME"
    each $kind 600 $tests/$kind/*.cu
    [ "$device" = virtual ] || continue
    command="sh $tests/check-program.sh asan $kind NAME"
    each $kind-asan 1800 $tests/$kind/*.cu
  done
}

# Right kernels, and kernels that break one rule each.
plan_corpus() {
  sort build/corpus/members |
    awk -F'|' '{ print $1 "|" $2 "|2400|sh grader/tests/corpus-test.sh one " $1 " " $2 }'
}

plan_labs() {
  for exercise in labs/*/*.cu; do
    [ -e "$exercise" ] || continue
    name=${exercise#labs/}
    name=${name%.cu}
    echo "labs|$name|1200|sh $tests/check-lab.sh $device $name"
  done
}

plan_submissions() {
  [ -e $tests/submissions-test.sh ] || return 0
  echo "submissions|skeletons|1200|sh $tests/submissions-test.sh labs"
  command="sh $tests/submissions-test.sh NAME"
  each submissions 3000 $tests/submissions/*.cu
}

# Submissions that try one trick each, and honest ones that look odd.
plan_attacks() {
  command="sh $tests/attacks-test.sh $device NAME"
  each attacks 1200 $tests/attacks/*
}

# Submissions that take the virtual Hopper's process over, in a build that lets them.
plan_planted() {
  command="env GRADER=build/planted/bin/grader sh $tests/attacks-test.sh virtual $tests/planted/NAME.cu"
  each planted 1200 $tests/planted/*.cu
}

plan_house() {
  command="sh FILE"
  each house 3000 $tests/house/*-test.sh
  # Slurm clusters of one node and of two, if set-up has installed Slurm. Its daemons need root.
  if [ "$(id -u)" = 0 ] && command -v slurmctld >/dev/null && command -v munged >/dev/null; then
    echo "house|slurm|3000|sh $tests/slurm-test.sh"
    echo "house|slurm-nodes|3000|sh $tests/slurm-nodes-test.sh"
  fi
  echo "format|all|600|make check-format"
  for mark in $(make -s print-lint-marks); do
    log=${mark%.ok}.log
    name=${log#build/lint/}
    echo "lint|${name%.log}|600|test ! -s $log || cat $log; test -e $mark"
  done
}

# A test that asks who runs it: above it runs as root, here as an ordinary user. If an ordinary user runs the
# tests, it has run as that user above.
plan_as_user() {
  sh $tests/as-user.sh --possible 2>/dev/null || return 0
  command="sh $tests/as-user.sh build/tests/unit/NAME"
  # shellcheck disable=SC2046 # names without blanks
  each as-user 1200 $(grep -lE 'id -u|gete?uid' $tests/unit/*-test.c)
  command="sh $tests/as-user.sh sh FILE"
  # shellcheck disable=SC2046
  each as-user 1200 $(grep -lE 'id -u' $tests/house/*-test.sh)
  command="sh $tests/as-user.sh sh $tests/attacks-test.sh virtual NAME"
  # shellcheck disable=SC2046
  each as-user 1200 $(grep -lE 'chmod|mkdir -m|expect as user' $tests/attacks/*)
}

# Nobody else uses the GPU, so these limits are tight: a program that hangs on it is stopped soon.
plan_clocks() {
  command="sh $tests/gpu/bandwidth-test.sh NAME"
  each bandwidth 60 $tests/gpu/submissions/*.cu
  echo "bandwidth|crowd|180|sh $tests/gpu/crowd-test.sh"
  echo "bandwidth|floor|120|sh $tests/gpu/floor-test.sh"
}

case $device in
virtual)
  plan_house
  plan_units
  plan_programs
  plan_corpus
  plan_labs
  plan_submissions
  plan_attacks
  plan_planted
  plan_as_user
  ;;
gpu)
  plan_programs
  plan_labs
  plan_clocks
  echo "attacks|all|540|sh $tests/gpu/attacks.sh" # which knows those that may run side by side on a GPU
  ;;
*)
  echo "plan.sh: $device: virtual or gpu" >&2
  exit 2
  ;;
esac
