#!/bin/sh
# Set-up does nothing when all is there, and quickly; where something is missing and can't be had, it names it, says
# what it is for and which command to run, and ends with 2. A PATH of chosen programs plays the bare machine.
set -eu
work=build/tests/setup
rm -rf "$work"
mkdir -p "$work/bin"

fail() {
  echo "$1"
  [ ! -e "$work/output" ] || cat "$work/output"
  exit 1
}

# All there: nothing said, nothing written anew.
sh grader/setup/setup.sh developer "$work/setup.mk" >"$work/output" 2>&1 || fail 'set-up failed where all is there'
[ ! -s "$work/output" ] || fail 'set-up said something though all is there'
touch -d '2001-01-01' "$work/setup.mk"
before=$(date +%s%N)
sh grader/setup/setup.sh developer "$work/setup.mk"
milliseconds=$((($(date +%s%N) - before) / 1000000))
[ "$(stat -c %Y "$work/setup.mk")" = "$(date -d '2001-01-01' +%s)" ] || fail 'set-up wrote the same makefile again'
[ "$milliseconds" -lt 1000 ] || fail "set-up took $milliseconds ms though all is there"

# Nothing there, and no package manager either.
for program in sh dirname uname id tail sed cut sort tr mkdir grep readlink cat printf cmp mv rm; do
  ln -s "$(command -v $program)" "$work/bin/$program"
done
status=0
PATH=$PWD/$work/bin KIT=$PWD/$work/kit CUDA_HOME='' NVCC='' sh grader/setup/setup.sh student "$work/bare.mk" >"$work/output" 2>&1 || status=$?
[ "$status" = 2 ] || fail "set-up ended with $status, not 2, where no compiler can be had"
for words in 'missing here' 'gcc  *compiles the grader' 'package bubblewrap' 'Run this'; do
  grep -q "$words" "$work/output" || fail "set-up did not say: $words"
done
[ ! -e "$work/bare.mk" ] || fail 'set-up wrote a makefile without tools'

# What a broken-off set-up has left half unpacked is thrown away, not taken for whole.
mkdir -p "$work/kit/libraries/usr/include" "$work/kit/tools/bin"
: >"$work/kit/libraries/usr/include/jansson.h"
: >"$work/kit/unpacking"
PATH=$PWD/$work/bin KIT=$PWD/$work/kit CUDA_HOME='' NVCC='' sh grader/setup/setup.sh student "$work/bare.mk" >"$work/output" 2>&1 || true
grep -q 'broken off; it is taken up again' "$work/output" || fail 'a broken-off set-up is not noticed'
for left in libraries tools; do
  [ ! -e "$work/kit/$left" ] || fail "what a broken-off set-up has left is kept: $left"
done

# A compiler that the caller names and that isn't there is the caller's error.
status=0
NVCC=/nowhere/nvcc sh grader/setup/setup.sh student "$work/bare.mk" >"$work/output" 2>&1 || status=$?
[ "$status" = 2 ] || fail "set-up ended with $status, not 2, for an nvcc that is not there"
grep -q 'NVCC=/nowhere/nvcc: no such program' "$work/output" || fail 'set-up did not name the nvcc that is not there'
