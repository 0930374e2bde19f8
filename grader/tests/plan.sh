#!/bin/sh
# In: virtual or gpu. Out: the tests there are for it, one per line: GROUP|NAME|SECONDS|COMMAND.
# The idea: what exists as a source is a test, so one that didn't build fails rather than being forgotten.
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
    name=$(basename "$file")
    name=${name%.*}
    echo "$group|$name|$seconds|$(echo "$command" | sed "s,NAME,$name,g; s,FILE,$file,g")"
  done
}

plan_units() {
  command="build/tests/unit/NAME"
  each unit 60 $tests/unit/*-test.c
  command="build/asan/tests/unit/NAME"
  each unit-asan 120 $tests/unit/*-test.c
  command="build/asan/fuzz/NAME-fuzz FILE/*"
  each fuzz-seeds 120 $tests/fuzz/seeds/*
}

plan_programs() {
  for kind in programs conformance; do
    command="sh $tests/check-program.sh $device $kind NAME"
    each $kind 60 $tests/$kind/*.cu
    [ "$device" = virtual ] || continue
    command="sh $tests/check-program.sh asan $kind NAME"
    each $kind-asan 180 $tests/$kind/*.cu
  done
}

# Kernels that are right, and such that break one rule each.
plan_corpus() {
  sort build/corpus/members |
    awk -F'|' '{ print $1 "|" $2 "|120|sh grader/tests/corpus-test.sh one " $1 " " $2 }'
}

plan_labs() {
  for exercise in labs/*/*.cu; do
    [ -e "$exercise" ] || continue
    name=${exercise#labs/}
    name=${name%.cu}
    echo "labs|$name|120|sh $tests/check-lab.sh $device $name"
  done
}

plan_submissions() {
  [ -e $tests/submissions-test.sh ] || return 0
  echo "submissions|skeletons|120|sh $tests/submissions-test.sh labs"
  command="sh $tests/submissions-test.sh NAME"
  each submissions 60 $tests/submissions/*.cu
}

# Submissions that try one trick each, and honest ones that look odd.
plan_attacks() {
  command="sh $tests/attacks-test.sh $device NAME"
  each attacks 120 $tests/attacks/*
}

plan_house() {
  command="sh FILE"
  each house 300 $tests/house/*-test.sh
  # A cluster of one node, where set-up could get Slurm: its daemons want root.
  if [ "$(id -u)" = 0 ] && command -v slurmctld >/dev/null && command -v munged >/dev/null; then
    echo "house|slurm|300|sh $tests/slurm-test.sh"
  fi
  echo "format|all|60|make check-format"
  for mark in $(make -s print-lint-marks); do
    log=${mark%.ok}.log
    name=${log#build/lint/}
    echo "lint|${name%.log}|5|cat $log; test -e $mark"
  done
}

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
