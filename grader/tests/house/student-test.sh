#!/bin/sh
# In: the kit, built. Out: what a student would miss; exit 1 if there is anything.
# The idea: hints come one by one, a reset loses no work, and a save starts a check. Whatever falls short, the
# last two lines of the output are the place to edit and the next command.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
scratch=$(sh grader/tests/work-folder.sh student $$)
trap 'rm -rf "$scratch"' EXIT
status=0
fail() {
  echo "$1"
  status=1
}

# A kit of its own, so that nothing here touches a student's files or progress; its name could be taken for a
# pattern.
mkdir -p "$scratch/kit[2]/build" "$scratch/kit[2]/grader"
cp -r labs solutions interface "$scratch/kit[2]/"
cp -r grader/setup grader/cli "$scratch/kit[2]/grader/"
ln -s "$house/build/bin" "$scratch/kit[2]/build/bin"
cd "$scratch/kit[2]"
student="env LAB=lab9 sh grader/cli/student.sh"

# Hints: one, two, three, no more; any of them again.
for step in 1 2 3; do
  $student hint 2 >"$scratch/output"
  grep -q "^Hint $step of 3" "$scratch/output" || fail "call $step of hint 2 gives no hint $step"
  [ "$(grep -c '^Hint ' "$scratch/output")" = 1 ] || fail "call $step of hint 2 gives more than one hint"
done
$student hint 2 | grep -q 'all 3 hints' || fail 'after the last hint there is another'
STEP=1 $student hint 2 | grep -q '^Hint 1 of 3' || fail 'STEP=1 does not show the first hint again'
STEP=1 $student hint 2 | grep -qx 'The next one: make hint-2 LAB=lab9 STEP=2' ||
  fail 'after STEP=1 the next hint is not STEP=2'
for goal in hint-77 lab9-77; do
  if make -s -C "$house" $goal >"$scratch/output" 2>&1; then fail "make $goal is taken"; fi
  grep -q 'there is no exercise 77 in lab9; make help lists' "$scratch/output" ||
    fail "make $goal says: $(cat "$scratch/output")"
done
# A variable that nothing reads is refused.
! env -u MAKELEVEL -u MAKEFLAGS make -C "$house" lab9 EXERCISE=2 >"$scratch/output" 2>&1 ||
  fail 'a variable that nothing reads is taken'
grep -q 'nothing here reads EXERCISE; make help lists' "$scratch/output" ||
  fail "make EXERCISE=2 says: $(cat "$scratch/output")"
# Hints and pages in a terminal: filled to 80 columns where the width is unknown, without Markdown's marks.
{
  for number in 1 2 3 4; do for step in 1 2 3; do STEP=$step $student hint $number; done; done
  for page in "$house"/docs/rules/*.md; do build/bin/grader explain "$(basename "$page" .md)"; done
} >"$scratch/pages"
[ "$(wc -l <"$scratch/pages")" -gt 1000 ] || fail 'pages are missing'
awk 'length($0) > 80 && !/^    /' "$scratch/pages" | grep . &&
  fail 'these lines of hints or pages are too long'
grep -n '^```\|\*\*\|](\|^<!--\|^:::\|^#' "$scratch/pages" && fail 'these lines of hints or pages hold marks'
# On a terminal of 60 columns.
if command -v script >/dev/null; then
  script -qc "stty cols 60; STEP=2 $student hint 2; build/bin/grader explain parity" /dev/null </dev/null |
    tr -d '\r' >"$scratch/pages"
  awk 'length($0) > 60 && !/^    /' "$scratch/pages" | grep . &&
    fail 'these lines are too long for 60 columns'
  [ "$(awk 'length($0) > 50' "$scratch/pages" | wc -l)" -gt 4 ] || fail 'text is not filled to 60 columns'
fi
if build/bin/grader explain proxy >"$scratch/output" 2>&1; then fail 'explain proxy is taken'; fi
tail -n 1 "$scratch/output" | grep -q 'is it this one: .*proxy-fence' ||
  fail 'explain proxy says nothing of proxy-fence'
if STEP=9 $student hint 2 >"$scratch/output" 2>&1; then fail 'STEP=9 is taken'; fi

# Reset: the skeleton is back, and the student's file is kept, twice if need be.
for round in 1 2; do
  echo "// round $round" >>labs/lab9/1-bulk-copy-1d.cu
  $student reset 1 >"$scratch/output"
  cmp -s labs/lab9/1-bulk-copy-1d.cu "$house/labs/lab9/1-bulk-copy-1d.cu" ||
    fail "round $round: the skeleton is not put back"
  grep -q "// round $round" "labs/lab9/1-bulk-copy-1d.cu.kept-$round" ||
    fail "round $round: the student's file is lost"
done
$student reset 1 | grep -q 'as it was given out' || fail 'an untouched skeleton is reset'
[ ! -e labs/lab9/1-bulk-copy-1d.cu.kept-3 ] || fail 'an untouched skeleton is kept'

# The students' archive has no solutions and no history, but a copy of the skeletons.
rm -r solutions
mkdir labs/lab9/.given
cp "$house"/labs/lab9/*.cu labs/lab9/.given/
echo '// changed' >>labs/lab9/3-phase-reuse.cu
$student reset 3 >"$scratch/output"
cmp -s labs/lab9/3-phase-reuse.cu "$house/labs/lab9/3-phase-reuse.cu" ||
  fail 'without solutions the skeleton is not put back'

# The last two lines: the place to edit and the next command, whatever fell short.
#   endings WHAT LINE [EXERCISE]      the file on standard input ends in that line
endings() {
  exercise=${3:-1-bulk-copy-1d}
  mkdir -p "$scratch/$1"
  cat >"$scratch/$1/$exercise.cu"
  "$house"/build/bin/grader check "lab9/$exercise" --submission "$scratch/$1" --device virtual --seed 1 \
    --deadline 100 >"$scratch/output" 2>&1 &&
    fail "$1: passes"
  tail -n 2 "$scratch/output" | head -n 1 | grep -q "^Edit  $scratch/$1/$exercise.cu:$2\$" ||
    fail "$1: the last line but one is not $2's: $(tail -n 2 "$scratch/output" | head -n 1)"
  [ "$(tail -n 1 "$scratch/output")" = "Then  make lab9-${exercise%%-*} SUBMISSION=$scratch/$1" ] ||
    fail "$1: the last line is $(tail -n 1 "$scratch/output")"
}
# line TEXT [FILE]: where that is first
line() { grep -nF -- "$1" "${2:-$solution}" | head -n 1 | cut -d: -f1; }
solution=$house/solutions/lab9/1-bulk-copy-1d.cu
tiles=$house/solutions/lab9/2-tiles-2d.cu
# Lines of the skeleton are right, so the place to edit is the step beside them.
sed '/async_proxy_fence(); \/\/ by each writer/d' "$solution" | endings fence "$(line 'TODO(4)')"
sed '/^  wait(&loaded, 0)/d' "$solution" | endings wait "$(line 'TODO(3)')"
# Where something is missing, the place to edit is the first step that was not begun.
#   undone STEPS FILE: a student's file that lacks these steps
undone() {
  awk -v steps=" $1 " '
    match($0, /TODO\([0-9]+\)/) { out = index(steps, " " substr($0, RSTART + 5, RLENGTH - 6) " ") }
    /BEGIN SOLUTION/ { inside = 1; next }
    /END SOLUTION/ { inside = 0; next }
    inside && /INSTEAD: / { if (out) { sub(/\/\/ INSTEAD: /, ""); print } next }
    !(inside && out)' "$2"
}
#   stops_at STEP STEPS EXERCISE
stops_at() {
  undone "$2" "$house/solutions/lab9/$3.cu" >"$scratch/half"
  at="$(line "TODO($1)" "$scratch/half") (TODO($1) is not begun)"
  endings "without $2" "$at" "$3" <"$scratch/half"
}
stops_at 1 '1' 1-bulk-copy-1d
stops_at 3 '3' 2-tiles-2d
stops_at 2 '2' 3-phase-reuse
stops_at 4 '4 5' 1-bulk-copy-1d
stops_at 4 '4 5' 2-tiles-2d
stops_at 5 '5' 3-phase-reuse
stops_at 5 '5 6' 4-store-commit-groups
stops_at 6 '6' 4-store-commit-groups
sed 's/tile\[i\] += 1/tile[i] += 1 +/' "$solution" | endings compiler "$(line 'tile[i] += 1')"
sed 's/tile\[i\] += 1/tile[i] += 2/' "$solution" | endings result "$(line 'TODO(5)') (a guess)"
sed 's/tile\[i\] += 1/tile[i] += 2/; s/TODO/DONE/' "$solution" |
  endings result-without-comments "$(line '__global__') (a guess)"
sed '/return cudaGetLastError/i\  data[0] = 1; // on the host\n' "$solution" |
  endings crash "$(line 'launch_bulk_copy_1d(')"
sed 's/return cudaGetLastError();/return cudaErrorNotReady;/' "$solution" |
  endings cuda-error "$(line 'launch_bulk_copy_1d(')"
sed 's/result\[y\]\[x\] = /&1 + /' "$tiles" | endings result "$(line 'TODO(4)' "$tiles") (a guess)" 2-tiles-2d
sed 's/BOX_WIDTH = TILE_WIDTH + 2/BOX_WIDTH = 2 + TILE_WIDTH + 2/' "$tiles" |
  endings map "$(line '= tensor_map_encode' "$tiles")" 2-tiles-2d
sed 's/const __grid_constant__ CUtensorMap in_map/const CUtensorMap in_map/' "$tiles" |
  endings holder "$(line 'CUtensorMap in_map' "$tiles")" 2-tiles-2d
sed 's/TILE_WIDTH, TILE_HEIGHT);/TILE_WIDTH + 2, TILE_HEIGHT);/' "$tiles" |
  endings second-map "$(line '&out_map, CU_TENSOR' "$tiles")" 2-tiles-2d
grep -q 'encodes a tensor map that is not allowed' "$scratch/output" ||
  fail 'a map that tensor-map.h refuses is not named in the headline'
sed 's/FLOAT32, out, width/FLOAT32, in, width/' "$tiles" |
  endings input-changed "$(line '_shared_to_global(' "$tiles") (a guess)" 2-tiles-2d
sed '/<<</d' "$solution" | endings no-launch "$(line 'launch_bulk_copy_1d(')"
grep -q '1-bulk-copy-1d starts no kernel' "$scratch/output" ||
  fail 'a launcher without a launch is not told so'
sed 's/\(global_to_shared\)_hint(tile, data + first, .*;/\1(data + first, tile, bytes, \&loaded);/' \
  "$solution" | endings swapped "$(line 'cp_async_bulk')"
grep -q 'destination comes first' "$scratch/output" || fail 'an error without a line is not explained'
sed '' "$house/labs/lab9/1-bulk-copy-1d.cu" |
  endings untouched "$(line 'TODO(' "$house/labs/lab9/1-bulk-copy-1d.cu")"

# No colours without a terminal, nor with NO_COLOR; lines are as long as the terminal is wide.
if grep -q "$(printf '\033')" "$scratch/output"; then fail 'colours without a terminal'; fi

# Results are remembered: only an exercise that has changed is judged again.
rm -rf "$scratch/kit[2]/build"
mkdir "$scratch/kit[2]/build"
cp -r "$house/build/bin" "$house/build/lib" "$house/build/runner" "$house/build/setup.h" \
  "$scratch/kit[2]/build/"
cp "$solution" labs/lab9/1-bulk-copy-1d.cu
check_again() {
  build/bin/grader check lab9/1-bulk-copy-1d --device virtual >"$scratch/output" 2>&1 ||
    fail "$1: falls short: $(cat "$scratch/output")"
  grep -c '(unchanged)' "$scratch/output" || true
}
[ "$(check_again first)" = 0 ] || fail 'a first check is said to be unchanged'
[ "$(check_again second)" = 1 ] || fail 'an unchanged exercise is judged again'
echo '// another line' >>labs/lab9/1-bulk-copy-1d.cu
[ "$(check_again changed)" = 0 ] || fail 'a changed exercise is not judged again'
echo '// another line' >>interface/cuda-check.h
[ "$(check_again interface)" = 0 ] || fail 'with another interface, an exercise is not judged again'

# In a lab in order, watch goes on from what passes to what doesn't.
cp "$house/solutions/lab8/1-barrier.cu" "$house/solutions/lab8/2-parity.cu" labs/lab8/
WATCH_ONCE=1 LAB=lab8 sh grader/cli/student.sh watch 1 >"$scratch/output" 2>&1 || fail 'watch of lab8 fails'
[ "$(grep -c 'Watching labs/lab8/' "$scratch/output")" = 3 ] ||
  fail "watch of lab8 does not go on: $(cat "$scratch/output")"
grep -q '2 of 10 done' "$scratch/output" || fail 'watch of lab8 does not say how far one has come'
grep -q '^3-bytes comes next' "$scratch/output" || fail 'watch of lab8 does not say what comes next'

# Watch: checks once at its start.
cd "$house" # its own files are only read
WATCH_ONCE=1 $student watch 1 >"$scratch/output" 2>&1 || fail 'watch ends with an error'
grep -q '1-bulk-copy-1d ' "$scratch/output" || fail 'watch checks nothing'
grep -q '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]  Watching labs/lab9/1-bulk-copy-1d.cu' "$scratch/output" ||
  fail 'watch does not say when it checked what'

# On a terminal: a check after a save, and an end without an error at Ctrl-C.
if command -v script >/dev/null; then
  cd "$scratch/kit[2]"
  rm -rf build/progress
  sed '' "$solution" >labs/lab9/1-bulk-copy-1d.cu
  : >"$scratch/output"
  ended() { for _ in $(seq 6000); do if grep -q 'No longer watching' \
    "$scratch/output"; then return; fi; sleep 0.1; done; }
  checked() { for _ in $(seq 6000); do if [ "$(grep -c 'Checked at' "$scratch/output")" \
    -ge "$1" ]; then return; fi; sleep 0.1; done; }
  {
    checked 1
    echo '// saved' >>labs/lab9/1-bulk-copy-1d.cu
    checked 2
    printf '\003'
    ended # a terminal that closed too early would end it as well
  # exec: the shell between would die of the Ctrl-C itself.
  } | script -qec "exec $student watch 1" /dev/null >"$scratch/output" || fail "watch ends with $?"
  [ "$(grep -c 'The exercise passes' "$scratch/output")" = 2 ] ||
    fail "watch does not check what is saved: $(cat "$scratch/output")"
  tail -n 1 "$scratch/output" | grep -q '^No longer watching labs/lab9/1-bulk-copy-1d.cu' ||
    fail "after Ctrl-C, watch says: $(tail -n 2 "$scratch/output")"
fi
exit $status
