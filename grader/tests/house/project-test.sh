#!/bin/sh
# In: the built vhopper, nvcc, CMake. Out: exit 0 if a project outside the kit can be checked as the docs say.
# The idea: vhopper is installed into a folder of its own; a sample project finds it there, is built, checked,
# given a baseline, and then fails on a new fault. Last, vhopper is taken away again, and nothing is left.
# Without CMake the test is left out; without gtest or nvrtc, their part of the sample.
set -eu
cd "$(dirname "$0")/../../.."
if ! command -v cmake >/dev/null || ! command -v ctest >/dev/null; then
  echo 'CMake is not here: left out'
  exit 0
fi
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/a\ place/usr
mkdir -p "$work/a place"
fail() {
  echo "$1"
  [ ! -e "$work/output" ] || tail -n 40 "$work/output"
  exit 1
}

MAKEFLAGS='' SETUP_DONE=yes make install PREFIX=/usr DESTDIR="$work/a place" >"$work/output" 2>&1 ||
  fail 'make install fails'
grep -q '^prefix=/usr$' "$prefix/lib/pkgconfig/vhopper.pc" || fail 'the prefix in vhopper.pc'
"$prefix/bin/vhopper" explain trap | grep -q 'Mended' || fail 'the installed vhopper has no pages'
# In the man page an option begins with two of the keyboard's own dashes.
if [ -e "$prefix/share/man/man1/vhopper.1" ] && command -v groff >/dev/null; then
  groff -man -Tutf8 "$prefix/share/man/man1/vhopper.1" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >"$work/page"
  grep -q '^ *--json FILE' "$work/page" || fail 'the man page does not show --json'
fi
for name in vhopper grader; do
  bash -n "$prefix/share/bash-completion/completions/$name" || fail "completion of $name is no bash"
done

# The installed grader finds the kit: above the current folder, by an option, or by the environment.
"$prefix/bin/grader" cases lab9 >"$work/cases" || fail 'the installed grader does not find this kit'
(cd labs/lab9 && "$prefix/bin/grader" cases lab9) | cmp -s - "$work/cases" || fail 'grader, from within a lab'
for place in --kit --kit= GRADER_KIT; do
  case $place in
  --kit) set -- "$prefix/bin/grader" --kit "$PWD" ;;
  --kit=) set -- "$prefix/bin/grader" --kit="$PWD" ;;
  *) set -- env GRADER_KIT="$PWD" "$prefix/bin/grader" ;;
  esac
  (cd / && "$@" cases lab9) | cmp -s - "$work/cases" || fail "the installed grader ignores $place"
done
# grader_fails WORDS ARGUMENTS..: from outside a kit.
grader_fails() {
  words=$1
  shift
  status=0
  (cd / && "$prefix/bin/grader" "$@") >"$work/output" 2>&1 || status=$?
  [ $status = 2 ] || fail "grader $* ends with $status, not 2"
  grep -q "$words" "$work/output" || fail "grader $* does not say: $words"
}
grader_fails 'is not in a TMA Lab Kit' cases lab9
grader_fails 'is no TMA Lab Kit' --kit "$work" cases lab9
mkdir -p "$work/bare/labs" "$work/bare/grader"
touch "$work/bare/Makefile"
grader_fails 'is not built yet' --kit "$work/bare" cases lab9

cp -r grader/tests/project "$work/sample"
git init -q "$work/sample" # suppressions name files as the repository does
configure() {
  cmake -B "$work/build" -S "$work/sample" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_COMPILER="$nvcc" \
    "$@" >"$work/output" 2>&1 || fail "cmake $* fails"
  cmake --build "$work/build" >"$work/output" 2>&1 || fail 'the sample cannot be built'
}
check() {
  status=0
  (cd "$work/build" && ctest --output-on-failure >"$work/output" 2>&1) || status=$?
}
configure
export VHOPPER_OPTIONS="--write-suppressions '$work/found.%p'"
check
unset VHOPPER_OPTIONS
if [ -e "$work/build/scale-test" ]; then
  [ $status != 0 ] || fail 'the planted fault is not found'
  grep -q 'scale.cu:[0-9]* .*tile\[threadIdx.x\] = 2' "$work/output" || fail 'the report lacks the line'
fi
grep -q 'rdc .*Passed' "$work/output" || fail 'separable compilation cannot be used'
[ ! -e "$work/build/nvrtc-test" ] || grep -q 'nvrtc .*Passed' "$work/output" || fail 'nvrtc cannot be used'

sort -u "$work"/found.* >"$work/sample/suppressions"
if [ -e "$work/build/scale-test" ]; then
  grep -q '^proxy-fence kernel=scale_tile file=scale.cu code=' "$work/sample/suppressions" ||
    fail "another baseline: $(cat "$work/sample/suppressions")"
fi
configure
check
[ $status = 0 ] || fail 'the baseline does not make the sample pass'
configure -DNEW_FAULT=ON
check
[ $status != 0 ] || fail 'a new fault passes with the baseline'
grep -q 'kernel shift_tile' "$work/output" || fail 'the new fault is not named'
if grep -q 'kernel scale_tile' "$work/output"; then fail 'an accepted fault is reported'; fi

MAKEFLAGS='' SETUP_DONE=yes make uninstall PREFIX=/usr DESTDIR="$work/a place" >"$work/output" 2>&1 ||
  fail 'make uninstall fails'
left=$(find "$work/a place" -type f)
[ -z "$left" ] || fail "left behind: $left"
