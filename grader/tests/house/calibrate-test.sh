#!/bin/sh
# In: grader/tests/bench/calibrate.sh. Out: exit 0 if readings become the constants that they are of, if all
# others and the fitted ones keep their value and source, if the new chip file compiles, and if a machine
# without a GPU is told so.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'calibrate-test: %s\n' "$1" >&2; exit 1; }

cat >"$work/readings" <<'READINGS'
clock                                  2000.000 MHz
processors                              120.000 SMs
memory                                 5000.000 GB/s
l2 cache                                 60.000 MiB
chase dram                             1000.000 cycles
chase l2                                300.000 cycles
bulk store read 16                      500.000 cycles
syncthreads 128                          22.000 cycles
syncthreads 1280                         99.000 cycles
one counter, 1 x 1000                   250.000 us
one counter, 1056 warps x 400           844.800 us
memcpy-0-0-0-0-0-0 4500.0 GB/s
READINGS
sh grader/tests/bench/calibrate.sh "$work/readings" >"$work/said" || fail 'no chip file'
grep -q 'build/calibrate/h200.def: 9 constants read, 2 fitted ones left alone;' "$work/said" ||
  fail "says: $(cat "$work/said")"
file=build/calibrate/h200.def
is() { grep -q "^CONSTANT($1, $2, .*\"read by make calibrate\")$" $file || fail "$1 is not $2"; }
is clock_mhz 2000
is processors 120
is dram_ns 500
is l2_ns 150
is barrier_cycles 14
is atomic_same_ns 2
is memcpy_share 0.9
stays() { # CONSTANT READING
  old=$(grep -A1 "^FITTED($1, " grader/virtual-hopper/time/h200.def) new=$(grep -A1 "^FITTED($1, " $file)
  if [ -z "$old" ] || [ "$new" != "$old" ]; then fail "$1 was fitted and is now: $new"; fi
  grep -B1 "^FITTED($1, " $file | grep -q "^// make calibrate read $2 for" ||
    fail "$1: the reading is not told"
}
stays store_read_ns 250
stays atomic_ns 250
for chip in h100 h200; do
  ! grep -E '^CONSTANT' grader/virtual-hopper/time/$chip.def -A1 | grep -q 'fitted' ||
    fail "$chip.def has a constant that was fitted and is not called so"
done
grep -v 'read by make calibrate' $file | grep -E '^(CONSTANT|FITTED)' >"$work/kept"
[ "$(wc -l <"$work/kept")" -gt 15 ] || fail 'constants without a reading are gone'
count() { grep -cE '^(CONSTANT|FITTED)\(' "$1"; }
[ "$(count $file)" = "$(count grader/virtual-hopper/time/h200.def)" ] || fail 'a constant is missing'
{
  echo '#define FITTED CONSTANT'
  echo 'struct chip {'
  echo '#define CONSTANT(name, value, unit, source) double name;'
  echo "#include \"$PWD/$file\""
  echo '#undef CONSTANT'
  echo '} c = {'
  echo '#define CONSTANT(name, value, unit, source) .name = (value),'
  echo "#include \"$PWD/$file\""
  echo '};'
} >"$work/it.c"
"${CC:-cc}" -std=c17 -Wall -Werror -fsyntax-only "$work/it.c" || fail 'the chip file does not compile'

sed -i '/^memory /d' "$work/readings"
sh grader/tests/bench/calibrate.sh "$work/readings" >"$work/said" 2>&1 &&
  fail 'readings without the rate on paper'
grep -q "no line 'memory'" "$work/said" || fail "says: $(cat "$work/said")"

ls /dev/nvidia[0-9]* >/dev/null 2>&1 && exit 0
status=0
sh grader/tests/bench/calibrate.sh >"$work/said" 2>&1 || status=$?
[ $status = 2 ] || fail "without a GPU the exit status is $status"
grep -q 'no GPU here, so nothing was read' "$work/said" || fail "says: $(cat "$work/said")"
[ -x build/calibrate/time-readings ] || fail 'the program that reads the chip was not built'
