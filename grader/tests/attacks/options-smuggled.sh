#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: brings its own lab.cfg, runner, makefile and compiler options, and no work
# expect: exit 1
# expect: says falls short
# expect: says Its Makefile, build, grader, lab.cfg, nvcc.profile are not taken
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir -p "$1/grader/hidden/lab9" "$1/build/runner/lab9"
echo 'NVCC_PREPEND_FLAGS = -DEVERYTHING_PASSES' >"$1/nvcc.profile"
echo 'all: ; touch passed' >"$1/Makefile"
sed 's/points = {[^}]*}/points = { build = 100; }/' "$root/labs/lab9/lab.cfg" >"$1/lab.cfg"
echo 'cases = ();' >"$1/grader/hidden/lab9/$exercise.cfg"
echo 'not an object' >"$1/build/runner/lab9/$exercise.o"
grep -v '^// ' "$root/grader/tests/submissions/does-nothing-in-place.cu" >"$1/$exercise.cu"
echo "$1"
