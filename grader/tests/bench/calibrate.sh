#!/bin/sh
# In: a Hopper GPU, NVCC. Out: build/calibrate/CHIP.def: h100.def or h200.def, whichever has the nearer
# memory, with each constant that the readings give replaced, and where it was read. Without a GPU: what is
# missing, and exit 2. The idea: readings are lines `NAME VALUE UNIT`, so what becomes of them can be tried
# anywhere.
#   calibrate.sh [READINGS]     READINGS: a file that an earlier run kept; no GPU is asked
set -eu
cd "$(dirname "$0")/../../.."
bench=grader/tests/bench work=build/calibrate
mkdir -p "$work"

if [ $# -gt 0 ]; then
  readings=$1
else
  if [ -z "${NVCC:-}" ] && ! NVCC=$(command -v nvcc); then
    echo 'calibrate: there is no CUDA compiler (nvcc) here. It builds the programs that read the chip.' >&2
    exit 2
  fi
  readings=$work/readings
  for program in time-readings time-variants; do
    "$NVCC" -std=c++17 -O2 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface \
      $bench/$program.cu -o "$work/$program"
  done
  if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    echo 'calibrate: there is no GPU here, so nothing was read, and no chip file was written.' >&2
    echo "calibrate: the programs are built: $work/time-readings, $work/time-variants." >&2
    echo 'calibrate: On a machine with a Hopper GPU, make calibrate runs them and writes the file.' >&2
    exit 2
  fi
  export LD_LIBRARY_PATH="${CUDA_HOME:-/usr/local/cuda}/lib64"
  "$work/time-readings" >"$readings"
  for name in memcpy memset ring-read-49152-2-256-1; do "$work/time-variants" 4096 21 $name; done |
    awk '{ print $1, $6, "GB/s" }' >>"$readings"
fi

value() { awk -v name="$1 " 'index($0, name) == 1 { print $(NF - 1); exit }' "$readings"; }
peak=$(value 'memory')
[ -n "$peak" ] || { echo "calibrate: $readings has no line 'memory', the rate on paper" >&2; exit 2; }
chip=$(awk -v peak="$peak" 'BEGIN { print peak < (3352 + 4814) / 2 ? "h100" : "h200" }')
awk -f $bench/calibrate.awk "$readings" grader/virtual-hopper/time/"$chip".def >"$work/$chip.def"
echo "$work/$chip.def: $(grep -c 'read by make calibrate' "$work/$chip.def") constants read," \
  "$(grep -c 'was fitted and stays' "$work/$chip.def") fitted ones left alone; put it into" \
  'grader/virtual-hopper/time/, and repeat the table of docs/measurements/predictions.md:' \
  'sh grader/tests/bench/time-accuracy.sh'
