#!/bin/sh
# In: virtual, asan (the virtual device with sanitizers) or gpu; a folder of grader/tests; a program's name.
# Out: exit 0 if the program did what it should.
# The idea: a program knows what is right. It prints `ok`, or the bytes of NAME.expected that hardware
# printed, and breaks no rule. Or its source says `// expect: fault RULE`: then that rule is reported, and no
# other; `// expect: says TEXT`: in these words. On a GPU the program runs natively, and the virtual device
# must print the same bytes.
set -eu
device=$1
source=grader/tests/$2/$3.cu
program=build/tests/$2/$3
work=build/tests/output/$2-$3-$device
vhopper=build/bin/vhopper
[ "$device" != asan ] || vhopper=build/asan/bin/vhopper
mkdir -p "$work"

[ -x "$program" ] || { echo "$program was not built"; exit 1; }

seed=0 # the usual order; `// expect: seeds N` asks for seeds 1 to N too
seeds=$(sed -n 's,^// expect: seeds ,,p' "$source")
rules=$(sed -n 's,^// expect: fault ,,p' "$source" | tr ' ' '\n' | sort -u)
expected=${source%.cu}.expected
if [ ! -e "$expected" ]; then
  echo ok >"$work/expected"
  expected=$work/expected
fi

# run_on DEVICE: leaves output, errors and status.
run_on() {
  status=0
  if [ "$1" = gpu ]; then
    LD_LIBRARY_PATH=$CUDA_HOME/lib64 "$program" >"$work/$1.out" 2>"$work/$1.err" || status=$?
  else
    $vhopper run --seed "$seed" --json "$work/report.json" -- "$program" >"$work/$1.out" 2>"$work/$1.err" ||
      status=$?
  fi
}

say() {
  echo "$1"
  echo "---- output"
  head -c 4000 "$2.out"
  echo "---- errors"
  head -c 4000 "$2.err"
  exit 1
}

# rules_reported PATTERN: the rules whose severity matches.
rules_reported() {
  tr -d '\n' <"$work/report.json" | grep -o '"rule": *"[^"]*", *"title": *"[^"]*", *"severity": *"[a-z]*"' |
    grep -E "\"($1)\"\$" | cut -d'"' -f4 | sort -u
}

# What `// expect: says TEXT` demands; messages are wrapped into lines.
check_words() {
  tr -s '\n ' ' ' <"$work/virtual.err" >"$work/words"
  sed -n 's,^// expect: says ,,p' "$source" >"$work/says"
  while IFS= read -r text; do
    grep -qF -- "$text" "$work/words" || say "does not say: $text" "$work/virtual"
  done <"$work/says"
}

# A warning is allowed, but not required.
check_rules() {
  found=$(rules_reported 'error|fatal')
  [ "$found" = "$rules" ] && return
  found=$(rules_reported '[a-z]*')
  if [ "$found" != "$rules" ]; then
    say "$(printf 'expected the rule %s, reported: %s' "$rules" "${found:-none}")" "$work/virtual"
  fi
}

check_output() {
  [ "$status" = 0 ] || say "$1: exit $status (seed $seed)" "$work/$1"
  cmp -s "$work/$1.out" "$2" && return
  echo "$1: the output differs from $2 (seed $seed): < expected, > got"
  diff -a "$2" "$work/$1.out" | head -n 40
  exit 1
}

# The results of a faulty program on hardware depend on luck, so they are not compared.
if [ -n "$rules" ]; then
  run_on virtual
  check_rules
  check_words
  exit 0
fi

if [ "$device" = gpu ]; then
  run_on gpu
  mkdir -p "build/tests/recorded/$2"
  cp "$work/gpu.out" "build/tests/recorded/$2/$3.expected"
  check_output gpu "$expected"
  expected=$work/gpu.out
fi
while :; do
  run_on virtual
  check_output virtual "$expected"
  [ "$seed" -lt "${seeds:-0}" ] || break
  seed=$((seed + 1))
done
