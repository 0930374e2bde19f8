#!/bin/sh
# `grader mutants` names the small mistakes that a lab's cases let pass. First a few of lab9's own mutants, of
# which each must be caught or listed. Then, in a copy of the kit, a lab with cases that are weak on purpose:
# the survivor must be named with its line, and is silent once it is listed with a reason.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(sh grader/tests/work-folder.sh mutants $$)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}
# try STATUS ARGUMENTS..: grader mutants must end so.
try() {
  wanted=$1
  shift
  status=0
  build/bin/grader mutants "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" = "$wanted" ] || fail "grader mutants $* ended with $status, not $wanted"
}

try 0 lab9 --mutants 2
[ "$(grep -c ' 2 tried: ' "$work/said")" = 4 ] || fail 'not every exercise is tried'

kit=$work/kit
mkdir -p "$kit/build"
cp -a Makefile README.md LICENSE interface labs solutions grader docs "$kit/"
for part in obj lib bin lean runner setup.mk setup.h; do cp -a "build/$part" "$kit/build/"; done
mkdir -p build/compiled && chmod 700 build/compiled
ln -s "$PWD/build/compiled" "$kit/build/compiled"
cd "$kit"
export KIT="$house/.kit"
list=grader/hidden/lab9/equivalent-mutants

# Only the length of the last tile is changed: what is compiled under a condition is left alone.
solution=$work/solutions/1-bulk-copy-1d.cu
mkdir "$work/solutions"
awk '/const uint32_t length =/ { print "#endif" }
  { print }
  NR == 1 { print "#if 1" }
  /the last tile is shorter/ { print "#if 1" }
  END { print "#endif" }' solutions/lab9/1-bulk-copy-1d.cu >"$solution"
place=$(grep -n 'count - first' "$solution" | cut -d: -f1)
[ "$(grep -c 'count - first' "$solution")" = 1 ] || fail 'the line that is to be changed is not there'
try 0 lab9/1 --mutants 0 --submission "$work/solutions"
grep -q '^1-bulk-copy-1d: 2 single changes, 2 tried: 1 caught ' "$work/said" ||
  fail 'lab9 does not catch that change'

# A solution in which nothing is changed.
mkdir "$work/fixed"
{ echo '#if 1'; cat solutions/lab9/1-bulk-copy-1d.cu; echo '#endif'; } >"$work/fixed/1-bulk-copy-1d.cu"
try 0 lab9/1 --mutants 0 --submission "$work/fixed"
grep -q '^1-bulk-copy-1d: 0 single changes, 0 tried: ' "$work/said" || fail 'changes are made under an #if'

# Weak cases: every count is a multiple of the tile.
judge=grader/exercises/lab9/bulk-copy-1d.c
awk '/public_cases\[\] = \{$/ { print; print "    {\"one\", {1024}}, {\"two\", {2048}},"; skip = 1; next }
  /rules_cases\[\] = \{$/ {
    print
    print "    {\"a\", {1024}}, {\"b\", {20480}}, {\"c\", {1024000}}};"
    skip = 1
    next
  }
  skip && /;$/ { if (/^};$/) print; skip = 0; next }
  skip { next }
  /^ *\.(growth|tiny|between|between_count) = / { next }
  { print }' "$judge" >"$work/judge.c"
cp "$work/judge.c" "$judge"
echo 'cases = ( { name = "three"; sizes = [3072]; } );' >grader/hidden/lab9/1-bulk-copy-1d.cfg
env -u MAKELEVEL -u MAKEFLAGS make build/bin/grader grader-parts >"$work/said" 2>&1 ||
  fail 'the weak lab does not build'
try 1 lab9/1 --mutants 0 --submission "$work/solutions"
survivor="  not sound: 1-bulk-copy-1d: line $place: \`-\` becomes \`+\` passes all cases"
grep -qxF "$survivor" "$work/said" || fail "the survivor is not named: $survivor"
[ "$(grep -c '^  not sound: ' "$work/said")" = 1 ] || fail 'something else is named, too'
grep -q 'Add what catches it' "$work/said" || fail 'it is not said what to do'

# Listed with a reason, it is silent; without one, the list can't be read.
cp "$list" "$work/list"
cat build/mutants/lab9/passed >>"$list"
try 2 lab9/1 --mutants 0 --submission "$work/solutions"
grep -q 'equivalent-mutants:[0-9]*: nothing stands after the colon' "$work/said" ||
  fail 'an entry without a reason is taken'
{
  cat "$work/list"
  sed 's/^reason:$/reason: every count is a multiple of the tile./' build/mutants/lab9/passed
} >"$list"
try 0 lab9/1 --mutants 0 --submission "$work/solutions"
# The line moves; the entry still fits.
sed -i '1i // One more line.' "$solution"
try 0 lab9/1 --mutants 0 --submission "$work/solutions"

# With the cases as they were, the entry is wrong: the change is caught.
cp "$house/$judge" "$judge"
env -u MAKELEVEL -u MAKEFLAGS make build/bin/grader grader-parts >"$work/said" 2>&1 ||
  fail 'the lab does not build again'
try 1 lab9/1 --mutants 0 --submission "$work/solutions"
listed="line $((place + 1)): .* is listed as equivalent (equivalent-mutants:[0-9]*), but it "
grep -q "^  not sound: .*$listed" "$work/said" || fail 'an entry for a change that is caught is not named'

# An entry that fits nothing, and one of an exercise that is not there.
cat >"$list" <<'LIST'
exercise: 1-bulk-copy-1d
line: no such line;
change: `1` becomes `2`
reason: none
exercise: 9-none
line: a
change: b
reason: c
LIST
try 1 lab9 --mutants 1
grep -q 'not sound: 1-bulk-copy-1d: equivalent-mutants:3 fits nothing in the solution: ' "$work/said" ||
  fail 'an entry that fits nothing is not named'
grep -q 'not sound: equivalent-mutants:7: lab9 has no exercise 9-none' "$work/said" ||
  fail 'an entry of an unknown exercise is not named'
! grep -q 'entries of equivalent-mutants' "$work/said" || fail 'a single entry is counted as many'
# Those of another solution: three of them, and how many they are.
{
  echo 'exercise: 1-bulk-copy-1d'
  for i in 1 2 3 4 5 6 7; do printf 'line: no such line %s;\nchange: a\nreason: b\n' $i; done
} >"$list"
try 1 lab9/1 --mutants 1
[ "$(grep -c 'fits nothing in the solution' "$work/said")" = 3 ] ||
  fail 'of many entries that fit nothing, not three are named'
grep -q '1-bulk-copy-1d: 7 entries of equivalent-mutants, lines 3 to 21, fit nothing' "$work/said" ||
  fail 'many entries that fit nothing are not counted'

try 2 lab0
try 2 lab9/7
try 2 lab9 --mutants many
