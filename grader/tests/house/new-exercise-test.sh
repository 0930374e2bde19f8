#!/bin/sh
# Adds an exercise in a copy of the kit, as docs/instructor/exercises.md says. Its solution passes and its
# skeleton falls short. `validate` names what is missing, one thing after another, until nothing is missing.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(sh grader/tests/work-folder.sh new-exercise $$)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  [ ! -e "$work/said" ] || tail -n 30 "$work/said"
  exit 1
}

# The copy uses what has been built already, so only the new exercise is compiled.
kit=$work/kit
mkdir -p "$kit/build"
cp -a Makefile README.md LICENSE interface labs solutions grader "$kit/"
[ ! -d docs ] || cp -a docs "$kit/"
for part in obj lib bin lean runner setup.mk setup.h; do cp -a "build/$part" "$kit/build/"; done
mkdir -p build/compiled && chmod 700 build/compiled
ln -s "$PWD/build/compiled" "$kit/build/compiled"
cd "$kit"
sh grader/tests/first-exercise-only.sh # the others have their own tests
find grader/tests/mutants -name 'lab9-*' ! -name lab9-1-no-fence.mutant -delete # validate grades each
export KIT="$house/.kit" VALIDATE_IN="$work/validate"

build() { env -u MAKELEVEL -u MAKEFLAGS make CFLAGS='-std=c17 -O1 -w' build/bin/grader grader-parts \
  >"$work/said" 2>&1 || fail 'the kit with the new exercise does not build'; }

sh grader/setup/new-exercise.sh lab9 5-my-kernel >"$work/said" 2>&1 || fail 'new-exercise.sh failed'
build
sh grader/setup/derive-labs.sh lab9 >"$work/said" 2>&1 || fail 'the skeleton cannot be derived'
grader=build/bin/grader
status=0
$grader check lab9/5 --submission solutions/lab9 --device virtual >"$work/said" 2>&1 || status=$?
[ $status = 0 ] || fail 'the solution of the new exercise does not pass'
$grader check lab9/5 --device virtual >"$work/said" 2>&1 && fail 'the skeleton of the new exercise passes'
grep -q '5-my-kernel  *not started' "$work/said" ||
  fail 'the skeleton of the new exercise is not known as untouched'

# Every make target exists for the new exercise, without a change of the Makefile.
targets() { env -u MAKELEVEL -u MAKEFLAGS make CFLAGS='-std=c17 -O1 -w' "$@" >"$work/said" 2>&1; }
targets lab9-5 && fail 'make lab9-5 passes for a skeleton'
grep -q '5-my-kernel  *not started' "$work/said" || fail 'make lab9-5 does not know the exercise'
targets lab9-5 SUBMISSION=solutions/lab9 || fail 'make lab9-5 does not check the solution'
targets hint-5 && fail 'there are hints that nobody wrote'
grep -q 'there are no hints for 5-my-kernel: labs/lab9/hints/5.md is missing' "$work/said" ||
  fail 'missing hints are not named'
echo '// mine' >>labs/lab9/5-my-kernel.cu
targets reset-5 || fail 'make reset-5 fails'
grep -q 'labs/lab9/5-my-kernel.cu.kept-1' "$work/said" || fail 'make reset-5 keeps nothing'
targets watch-5 WATCH_ONCE=1 || fail 'make watch-5 fails'
grep -q '5-my-kernel' "$work/said" || fail 'make watch-5 checks nothing'
targets help || fail 'make help fails'
last=$(printf '%s\n' labs/*/[0-9]*.cu | sort -V | sed -n '$s,labs/\(.*\)/\([0-9]*\)-.*,\1-\2,p')
grep -q " lab8-1 .. $last " "$work/said" || fail 'make help does not list it'

status=0
DEVICE=virtual $grader validate lab9 --mutants 1 >"$work/said" 2>&1 || status=$?
[ $status = 1 ] || fail "validate of a lab that is not sound ends with $status"
for missing in '5-my-kernel has no mutant' \
  '5-my-kernel: there are no hints: labs/lab9/hints/5.md is missing' \
  '5-my-kernel: labs/lab9/README.md says nothing'; do
  grep -q "$missing" "$work/said" || fail "validate does not say: $missing"
done
[ "$(grep -c 'not sound: 5-my-kernel' "$work/said")" = 3 ] ||
  fail 'validate finds more missing in the new exercise than is'

# A hidden case that is a public one, a mutant that breaks nothing, a solution that is wrong.
sed 's/launch_bulk_copy_1d/launch_my_kernel/' grader/tests/mutants/lab9-1-no-fence.mutant |
  sed 's,solutions/lab9/1-bulk-copy-1d.cu,solutions/lab9/5-my-kernel.cu,' \
    >grader/tests/mutants/lab9-5-no-fence.mutant
printf '## 1\nSet it up.\n## 2\nLoad.\n## 3\nStore.\n' >labs/lab9/hints/5.md
echo 'Exercise 5: 5-my-kernel.cu' >>labs/lab9/README.md
targets hint-5 || fail 'make hint-5 fails'
grep -q 'Hint 1 of 3 for 5-my-kernel' "$work/said" || fail 'make hint-5 gives no hint'
sed -i 's/\[1016\]/[4096]/' grader/hidden/lab9/5-my-kernel.cfg
printf '%s\n' '// expect: fault proxy-fence' '// from: solutions/lab9/5-my-kernel.cu' \
  '- tile[i] += 1;' '+ tile[i] += 1U;' >grader/tests/mutants/lab9-5-harmless.mutant
DEVICE=virtual $grader validate lab9 --mutants 1 >"$work/said" 2>&1 &&
  fail 'validate does not notice a hidden case that is public'
grep -q '5-my-kernel: the hidden case "just below a tile" is the case "one tile" again' "$work/said" ||
  fail 'validate does not notice a hidden case that is public'
grep -q 'lab9-5-harmless.mutant loses no points: it gets 20 of 20' "$work/said" ||
  fail 'validate does not notice a mutant that passes'
! grep -q 'lab9-5-no-fence' "$work/said" || fail 'the new mutant does not do what it is there for'

# The corpus includes the mutant as soon as a program checks the solution. Nothing is compiled here.
sh grader/tests/corpus-build.sh lists >"$work/said" 2>&1 ||
  fail 'the corpus cannot be put together with a mutant of the new exercise'
grep -q '^mutant|lab9-1-no-fence|' build/corpus/members ||
  fail 'the corpus has lost the mutants of the first exercise'
! grep -q 'lab9-5' build/corpus/members || fail 'the corpus takes a mutant in that no program checks'
sed 's/launch_bulk_copy_1d/launch_my_kernel/g; s/1-bulk-copy-1d/5-my-kernel/' \
  grader/tests/programs/lab9-1-bulk-copy-1d.cu >grader/tests/programs/lab9-5-my-kernel.cu
sh grader/tests/corpus-build.sh lists >"$work/said" 2>&1 ||
  fail 'the corpus cannot be put together with a program for the new exercise'
grep -q '^mutant|lab9-5-no-fence|' build/corpus/members || fail 'the corpus does not take the new mutant in'

# lab.cfg may give a part of the points for a part of the cases. After a change of it everything is graded
# again.
mkdir -p "$work/class/cyd"
sed 's/if (count == 0 || /if (count == 262144) return cudaSuccess;\n  if (count == 0 || /' \
  solutions/lab9/5-my-kernel.cu >"$work/class/cyd/5-my-kernel.cu"
batch() {
  status=0
  $grader batch lab9/5 "$work/class" --out "$work/grades" --device virtual --columns submission,score \
    >"$work/said" 2>&1 || status=$?
  [ $status = 1 ] || fail "the batch ended with $status, not 1"
}
batch
grep -q '^"cyd",10$' "$work/grades/grades.csv" ||
  fail 'one wrong case does not cost all points of correctness'
sed -i '/name = "5-my-kernel"/,$ s/bandwidth = 0.93;/bandwidth = 0.93; correctness_floor = 0.5;/' \
  labs/lab9/lab.cfg
batch
! grep -q 'unchanged' "$work/said" || fail 'after a change of lab.cfg nothing was graded again'
# 20 of 21 cases: 19 of 21 parts of the way from the floor to all, so nine tenths of ten points.
grep -q '^"cyd",19$' "$work/grades/grades.csv" ||
  fail "the floor of correctness gives $(tail -n 1 "$work/grades/grades.csv")"

# What can't be timed gives no points for it.
judge=grader/exercises/lab9/my-kernel.c
grep -q '    \.bandwidth_case = ' $judge || fail 'the judge has no case to time'
sed -i '/^static struct exercise_case bandwidth_case/,/^}/d; /    \.bandwidth_case = /d' $judge
build
status=0
$grader check lab9/5 --submission solutions/lab9 --device virtual >"$work/said" 2>&1 || status=$?
[ $status = 2 ] || fail "points for what cannot be timed: check ends with $status"
grep -q 'labs/lab9/lab.cfg:[0-9]*: points: 5-my-kernel .* no .bandwidth_case: leave out bandwidth' \
  "$work/said" || fail 'points for what cannot be timed are not named'
sed -i '/name = "5-my-kernel"/,$ { s/ bandwidth = 5;//; /^    bandwidth/d }' labs/lab9/lab.cfg
$grader check lab9/5 --submission solutions/lab9 --device virtual >"$work/said" 2>&1 ||
  fail 'an exercise that is not timed does not pass'

# A lab of its own, and then one more exercise for it and for the first.
sh grader/setup/new-exercise.sh lab77 1-other >"$work/said" 2>&1 || fail 'new-exercise.sh makes no new lab'
sh grader/setup/new-exercise.sh lab77 10-last >"$work/said" 2>&1 ||
  fail 'new-exercise.sh adds nothing to the new lab'
sh grader/setup/new-exercise.sh lab9 6-more >"$work/said" 2>&1 ||
  fail 'new-exercise.sh adds nothing to the first lab again'
build
sh grader/setup/derive-labs.sh lab9 lab77 >"$work/said" 2>&1 ||
  fail 'the skeletons of the new lab cannot be derived'
targets lab77 SUBMISSION=solutions/lab77 || fail 'make lab77 does not check its solutions'
grep -q '10-last  *build ok' "$work/said" || fail 'the second exercise of the new lab is not checked'
tail -n 1 <<END | grep -q lab77 || fail 'the new lab does not come after the others in the contents'
$(grep '^labs/' docs/contents)
END
targets lab77-9 && fail 'make takes an exercise that lab77 does not have'
grep -q 'there is no exercise 9 in lab77; make help lists' "$work/said" ||
  fail 'make does not say which lab has no such exercise'
targets lab77-10 && fail 'make lab77-10 passes for a skeleton'
grep -q '^A hint: make hint-10 LAB=lab77$' "$work/said" ||
  fail 'the hint of another lab is not found by what is said'
tail -n 1 "$work/said" | grep -q '^make: \|^Then  make lab77-10$' ||
  fail 'the last line does not name the exercise'
printf '## 1\nA.\n## 2\nB.\n## 3\nC.\n' >labs/lab77/hints/10.md
targets hint-10 LAB=lab77 || fail 'make hint-10 LAB=lab77 fails'
grep -q 'Hint 1 of 3 for 10-last' "$work/said" || fail 'make hint-10 LAB=lab77 gives no hint'
targets lab9-6 SUBMISSION=solutions/lab9 || fail 'an exercise added after another lab does not pass'
