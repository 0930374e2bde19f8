#!/bin/sh
# Read by slow-attempts-lab9-test.sh and -lab10-test.sh, with LAB, ARCHITECTURE and `name` set.
# In: solutions of the lab, each changed as typical slow attempts are; build/bin/vhopper. `attempt` fails
# unless the attempt computes what the solution computes, and the model finds it slow and says why.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper
work=$(sh grader/tests/work-folder.sh "${name:?}" $$)
trap 'rm -rf "$work"' EXIT
chip=h100
fail() { printf '%s: %s\n' "$name" "$1" >&2; cat "$work/said" >&2; exit 1; }

# compile SOURCE OBJECT FLAG..: the attempts and what starts them have one compilation each.
compile() {
  source=$1 object=$2
  shift 2
  sh grader/tests/known-nvcc.sh sh grader/tests/lean-nvcc.sh "$work:interface:labs:grader" -c -std=c++17 \
    -O2 -lineinfo --no-compress -w \
    -gencode "arch=compute_$ARCHITECTURE,code=[sm_$ARCHITECTURE,compute_$ARCHITECTURE]" "$@" \
    -Iinterface -Ilabs/"lab$LAB" "$source" -o "$object"
}

run() { # FOLDER: compiles and runs what lies there; its report in $work/said, its time in $work/json
  compile "$1"/*.cu "$1/attempt.o" -I"$1"
  sh grader/tests/lean-link.sh "$1/attempt.o" "$work/start-$exercise.o" -o "$1/program"
  $vhopper run --time "$chip" --no-check --json "$work/json" --timeline "$work/it.svg" -- "$1/program" \
    >"$work/said" 2>&1 || fail "${1##*/} does not run"
}
steady() { # the microseconds of what was run, without its start and its end
  sed -n 's/.*"steady_us": \([0-9.]*\).*/\1/p' "$work/json" | tail -n 1
}
result() { sed -n 's/^result //p' "$work/said"; }

# For changes: lines as one, and a line that lets a kernel ask for much shared memory.
one_line() { printf '%s' "$1" | tr '\n' ' '; }
room() { echo "cudaFuncSetAttribute($1, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 << 10);"; }

# What the attempts of this exercise have to compute, and how fast the solution does.
solution() { # EXERCISE [CHIP]
  exercise=$1 chip=${2:-h100}
  rm -rf "$work/solution"
  mkdir "$work/solution"
  cp solutions/"lab$LAB/$exercise"-*.cu "$work/solution/"
  compile grader/tests/bench/time-attempt.cu "$work/start-$exercise.o" -DLAB="$LAB" -DEXERCISE="$exercise"
  run "$work/solution"
  right=$(result) good=$(steady)
}

changed() { # NAME CHANGE SAID [NOT-SAID]: the change by sed is made to the solution and to what is given
  it=$work/$exercise-$1 changed=
  mkdir "$it"
  for file in solutions/"lab$LAB/$exercise"-*.cu "labs/lab$LAB"/*.cuh; do
    [ -f "$file" ] || continue
    sed -E "$2" "$file" >"$it/${file##*/}"
    cmp -s "$file" "$it/${file##*/}" || changed=yes
  done
  [ "$changed" ] || fail "$1: the change finds nothing to change"
  run "$it"
  [ "$(result)" = "$right" ] || fail "$1: does not compute what the solution computes"
  grep -qF -e "$3" "$work/said" || fail "$1: does not say: $3"
  [ -z "${4:-}" ] || ! grep -qF -e "$4" "$work/said" || fail "$1: says, and it is not true: $4"
}

attempt() { # as `changed`, and slow
  changed "$@"
  slow=$(steady)
  awk "BEGIN { exit !($good > 0 && $slow > 0 && $good < 0.93 * $slow) }" ||
    fail "$1: is not found slow: $slow us, the solution $good us"
}
