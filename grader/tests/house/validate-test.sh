#!/bin/sh
# `grader validate` names what makes a lab unsound. Faults are planted, and removed again, in a copy of the
# kit whose lab has one exercise and one mutant. validate must name each fault and nothing else.
set -eu
cd "$(dirname "$0")/../../.."
work=$(sh grader/tests/work-folder.sh validate $$)
trap 'rm -rf "$work"' EXIT
kit=$work/kit
mkdir -p "$kit/build"
cp -a Makefile README.md LICENSE interface labs solutions grader docs "$kit/"
for part in obj lib bin lean runner setup.mk setup.h; do cp -a "build/$part" "$kit/build/"; done
mkdir -p build/compiled && chmod 700 build/compiled
ln -s "$PWD/build/compiled" "$kit/build/compiled"
cd "$kit"
rm -rf grader/tests/mutants/* grader/tests/conformance grader/tests/fuzz
cp "$OLDPWD/grader/tests/mutants/lab9-1-no-fence.mutant" grader/tests/mutants/
sh grader/tests/first-exercise-only.sh
export KIT="$OLDPWD/.kit" VALIDATE_IN="$work/validate"
env -u MAKELEVEL -u MAKEFLAGS make build/bin/grader >"$work/said" 2>&1 || { cat "$work/said" && exit 1; }
skeleton=labs/lab9/1-bulk-copy-1d.cu
solution=solutions/lab9/1-bulk-copy-1d.cu
cp -a labs "$work/labs"
cp -a solutions "$work/solutions"
cp -a grader/hidden "$work/hidden"

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}

validate() {
  status=0
  DEVICE=virtual build/bin/grader validate lab9 --mutants 1 >"$work/said" 2>&1 || status=$?
}

# must_name COUNT TEXT..: validate fails, names each text, and prints COUNT complaints in all. Then the fault
# is removed.
must_name() {
  count=$1
  shift
  validate
  [ "$status" = 1 ] || fail "validate ended with $status, not 1: $1"
  for text in "$@"; do
    grep '^  not sound: ' "$work/said" | grep -qF "$text" || fail "validate does not say: $text"
  done
  [ "$(grep -c '^  not sound: ' "$work/said")" = "$count" ] || fail "validate names something else beside: $1"
  rm -rf labs solutions grader/hidden grader/tests/mutants/*harmless*
  cp -a "$work/labs" "$work/solutions" .
  cp -a "$work/hidden" grader/
}
fingerprint() {
  sed -i "s/skeleton = \"[0-9a-f]*\"/skeleton = \"$(build/bin/grader fingerprint "$1")\"/" labs/lab9/lab.cfg
}

validate
[ "$status" = 0 ] || fail 'the lab that nothing was planted in is not sound'
cases=$(grep -c 'sizes = ' grader/hidden/lab9/1-bulk-copy-1d.cfg)
grep -q "^lab9 is sound: 1 exercise, 1 mutant, $cases hidden cases\$" "$work/said" ||
  fail 'it is not said what was looked at'

# A solution loses points. The fence is a part of an answer, so the skeleton doesn't change, and the mutant
# that removes the fence no longer fits.
sed -i '/async_proxy_fence();/d' "$solution"
must_name 2 '1-bulk-copy-1d: the solution gets 10 of 20 points: it breaks the rule proxy-fence' \
  'lab9-1-no-fence.mutant does not fit'
grep -q async_proxy_fence "$solution" || fail 'the solution has changed: nothing was planted'

# A skeleton passes, because the answers are outside the markers.
sed -i '/\/\/ INSTEAD:/d; /\/\/ END SOLUTION/d; s,^ *// BEGIN SOLUTION,&\n// END SOLUTION,' "$solution"
sed '/\/\/ \(BEGIN\|END\) SOLUTION/d' "$solution" >"$skeleton"
fingerprint "$skeleton"
must_name 1 '1-bulk-copy-1d: the skeleton passes, with 20 of 20 points: nothing is left to do in it'

# Several faults at once: a skeleton that doesn't compile, and so isn't what is derived; a mutant that loses
# nothing; a mutant that breaks another rule than it says; a hidden case that is a public one, whose size
# therefore is in the handout; no hints.
sed -i '/^extern "C"/i this is no C++' "$skeleton"
fingerprint "$skeleton"
printf '// expect: fault proxy-fence\n// from: %s\n- tile[i] += 1;\n+ tile[i] += 1U;\n' "$solution" \
  >grader/tests/mutants/lab9-1-harmless.mutant
sed 's/fault proxy-fence/fault deadlock/' grader/tests/mutants/lab9-1-no-fence.mutant \
  >grader/tests/mutants/lab9-1-more-harmless.mutant
# Told of a rule that the mutant allows as well.
sed 's/fault proxy-fence/fault deadlock/; 1a // also: proxy-fence' \
  grader/tests/mutants/lab9-1-no-fence.mutant >grader/tests/mutants/lab9-1-also-harmless.mutant
sed -i 's/\[1016\]/[124]/; s/\[16380\]/[1028]/' grader/hidden/lab9/1-bulk-copy-1d.cfg
rm labs/lab9/hints/1.md
must_name 8 "labs/lab9 is not derived from solutions/lab9: \
labs/lab9/1-bulk-copy-1d.cu differs from solutions/lab9/1-bulk-copy-1d.cu" \
  '1-bulk-copy-1d: the skeleton does not compile: it does not compile' \
  'lab9-1-harmless.mutant loses no points: it gets 20 of 20' \
    'lab9-1-more-harmless.mutant is not told of deadlock' \
  '1-bulk-copy-1d: the hidden case "just below a tile" is the case "less than a warp" again: sizes 124' \
  '1-bulk-copy-1d: the hidden case "a large tile but 4" is the case "just above a tile" again: sizes 1028' \
  '1-bulk-copy-1d: there are no hints: labs/lab9/hints/1.md is missing' \
    'the handout would tell what is hidden'

# A wrong fingerprint; no mutant; no hidden cases; only two hints; no words in the README; a step that the
# skeleton doesn't have.
sed -i 's/skeleton = "[0-9a-f]*"/skeleton = "0123456789abcdef"/' labs/lab9/lab.cfg
rm grader/hidden/lab9/1-bulk-copy-1d.cfg grader/tests/mutants/lab9-1-no-fence.mutant
sed -i '/^## 3/d' labs/lab9/hints/1.md
sed -i '/1-bulk-copy-1d/d' labs/lab9/README.md
sed -i 's/result_step = 5;/result_step = 42;/' labs/lab9/lab.cfg
must_name 6 '1-bulk-copy-1d: the skeleton is not known as untouched' \
  '1-bulk-copy-1d has no mutant in grader/tests/mutants' \
  '1-bulk-copy-1d: has no hidden cases' '1-bulk-copy-1d: labs/lab9/hints/1.md has not three steps' \
  '1-bulk-copy-1d: labs/lab9/README.md says nothing of it' \
    '1-bulk-copy-1d: labs/lab9/lab.cfg names step 42, and there is no TODO(42)'

# Mistakes in lab.cfg: file, line and key.
# must_refuse LINE KEY: what was planted is named so, and nothing else is tried.
must_refuse() {
  validate
  [ "$status" = 2 ] || fail "validate ended with $status, not 2: $2"
  grep -q "labs/lab9/lab.cfg:$1: $2" "$work/said" || fail "validate does not say labs/lab9/lab.cfg:$1: $2"
  ! grep -q 'not sound' "$work/said" || fail "validate goes on with a lab.cfg that cannot be read: $2"
  cp "$work/labs/lab9/lab.cfg" labs/lab9/lab.cfg
}
# plant KEY VALUE: sets $line to where that key has another value now.
plant() {
  line=$(grep -n -m 1 "$1 = " labs/lab9/lab.cfg | cut -d: -f1)
  sed -i "${line}s/$1 = [0-9.\"a-z]*/$1 = $2/" labs/lab9/lab.cfg
  ! cmp -s labs/lab9/lab.cfg "$work/labs/lab9/lab.cfg" || fail "$1 was not planted"
}
plant correctness -3
must_refuse "$line" 'correctness: is -3: must be from 0'
plant bandwidth_floor 7
must_refuse "$line" 'bandwidth_floor: is 7: must be from 0 to'
plant skeleton '"none"'
must_refuse "$line" 'skeleton: must be 16 hexadecimal digits'
plant rules '"many"'
must_refuse "$line" 'rules: must be a number'
plant lab '"lab8"'
must_refuse "$line" 'lab: is "lab8": must be "lab9", the folder'
sed -i 's/name = "1-bulk-copy-1d"/name = "1-bulk-copy"/' labs/lab9/lab.cfg
must_refuse "$(grep -n '^exercises' labs/lab9/lab.cfg | cut -d: -f1)" \
  'exercises: must be 1-bulk-copy-1d, which the grader knows'
sed -i '3i pionts = 3;' labs/lab9/lab.cfg
must_refuse 3 'pionts: is an unknown key'

# make grade succeeds for a class that falls short, and fails for a folder that is not there.
mkdir -p "$work/a class/ann"
cp "$skeleton" "$work/a class/ann/"
env -u MAKELEVEL -u MAKEFLAGS make -s grade LAB=lab9 SUBMISSIONS="$work/a class" >"$work/said" 2>&1 ||
  fail 'make grade fails where a submission falls short'
grep -q '^"ann",fail,0,' grades/lab9/grades.csv || fail 'make grade writes no grades'
if env -u MAKELEVEL -u MAKEFLAGS make -s grade LAB=lab9 SUBMISSIONS="$work/nowhere" \
  >"$work/said" 2>&1; then fail 'make grade of a folder that is not there ends well'; fi

# If lab.cfg can't be read, validate ends with 2 and names the place.
echo 'rubbish' >>labs/lab9/lab.cfg
validate
[ "$status" = 2 ] || fail "validate ended with $status, not 2, for a lab.cfg that can't be read"
grep -q 'labs/lab9/lab.cfg:' "$work/said" || fail 'validate does not name the place in lab.cfg'
