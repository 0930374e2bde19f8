#!/bin/sh
# In: interface/timeline.cuh, docs/guide/samples/ranges.cu, build/bin/vhopper. Out: exit 0 if named ranges
# cost nothing, are in the predicted picture, can be measured by the same program, and if what is wrong with
# them is said. The idea: the measuring path is only stores and clocks, so the virtual Hopper runs it, too.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper sample=docs/guide/samples/ranges.cu
work=$(sh grader/tests/work-folder.sh timeline-header $$)
trap 'rm -rf "$work"' EXIT
nvcc="${NVCC:-nvcc} -std=c++17 -O2 -Iinterface -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror"
program() { # PROGRAM SOURCE [OPTION..]
  out=$work/$1 source=$2
  shift 2
  # shellcheck disable=SC2086 # words
  sh grader/tests/known-nvcc.sh $nvcc -cudart shared -lineinfo --no-compress \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' "$@" "$source" -o "$out"
}
fail() { printf 'timeline-header-test: %s\n' "$1" >&2; cat "$work/said" >&2; exit 1; }
says() { grep -qF -e "$1" "$work/said" || fail "does not say: $1"; }
count() { grep -cF -e "$1" "$2" || :; }

# No instruction comes from a mark.
for option in TIMELINE_OFF NOTHING; do
  $nvcc -gencode arch=compute_90,code=sm_90 -D$option -cubin $sample -o "$work/$option"
done
python3 - "$work/TIMELINE_OFF" "$work/NOTHING" >"$work/said" 2>&1 <<'PYTHON' || fail 'marks change the code'
import struct, sys
def code(path):  # of all .text sections
    file = open(path, "rb").read()
    start, = struct.unpack_from("<Q", file, 0x28)
    count, names = struct.unpack_from("<HH", file, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", file, start + 64 * i) for i in range(count)]
    text = {}
    for header in headers:
        name = file[headers[names][4] + header[0]:].split(b"\0")[0]
        if name.startswith(b".text."): text[name] = file[header[4]:header[4] + header[5]]
    return text
one, other = map(code, sys.argv[1:])
assert len(one) == 1 and one == other
PYTHON

# In the picture and in the trace of the prediction.
program ranges $sample
$vhopper run --time h100 --timeline "$work/it.svg" -- "$work/ranges" >"$work/said" 2>&1 || fail 'does not run'
xmllint --noout "$work/it.svg" || fail 'the picture is no XML'
for name in load work store; do
  says "The range \"$name\" takes"
  [ "$(count ">range \"$name\"<" "$work/it.svg")" = 1 ] || fail "the legend lacks $name"
done
[ "$(count '>warp 0, named ranges<' "$work/it.svg")" = 1 ] || fail 'no lane of named ranges'
grep -q 'Named ranges:' "$work/said" && fail 'right ranges are accused'

# Measured: the program that has noted the times itself says the same as the model that played it.
program measured $sample -DTIMELINE
$vhopper run --time h100 --timeline "$work/it.json" -- "$work/measured" "$work/marks" >"$work/said" 2>&1 ||
  fail 'does not run when it measures'
mean() { sed -n "s/^The range \"$1\" takes \([0-9]*\) ns.*/\1/p" "$work/said"; }
predicted=$(mean load)
$vhopper timeline "$work/marks" "$work/measured.svg" >"$work/said" 2>&1 ||
  fail "can not draw what was measured"
xmllint --noout "$work/measured.svg" || fail 'the picture of what was measured is no XML'
grep -q 'processor [0-9]* of NVIDIA H100.*, measured' "$work/measured.svg" || fail 'not called measured'
says 'of 1 launch on 132 processors'
measured=$(awk '$1 == "load" { print $3 }' "$work/said")
share=$((10 * predicted / measured))
if [ $share -lt 5 ] || [ $share -gt 20 ]; then
  fail "load takes $predicted ns in the picture and $measured ns by its own clock"
fi
[ "$(awk '$1 == "load" { print $2 }' "$work/said")" = $((132 * 2 * 12 * 4)) ] || fail 'some loads are missing'
$vhopper timeline "$work/marks" "$work/measured.json" >"$work/said" || fail 'no trace of what was measured'
python3 - "$work/it.json" "$work/measured.json" >"$work/said" 2>&1 <<'PYTHON' || fail 'a trace lacks ranges'
import json, sys
for path in sys.argv[1:]:
    names = [e["name"] for e in json.load(open(path))["traceEvents"] if e["ph"] == "X"]
    assert {"load", "work", "store"} <= set(names), names
PYTHON

# What is wrong with ranges.
cat >"$work/wrong.cu" <<'CUDA'
#include "timeline.cuh"
__global__ void wrong(int which, int *data) {
  for (int i = 0; i < 8; i++) {
    timeline_begin("outer");
    if (threadIdx.x % 2) {
      timeline_begin("odd");
      data[threadIdx.x] += 1;
      timeline_end("odd");
    } else {
      timeline_begin("even");
      data[threadIdx.x] += 2;
      timeline_end("even");
    }
    if (which == 1) timeline_end("never begun");
    if (which == 2 && i == 0) timeline_begin("never ended");
    if (which == 2 && i == 0) timeline_begin("nor this");
    if (which == 3 && threadIdx.x == 0) timeline_end("outer");
    if (which != 3) timeline_end("outer");
  }
}
int main(int, char **arguments) {
  int *data;
  if (cudaMalloc(&data, 4096) != cudaSuccess || cudaMemset(data, 0, 4096) != cudaSuccess) return 1;
  wrong<<<2, 64>>>(atoi(arguments[2]), data);
  return timeline_write(arguments[1]) != cudaSuccess;
}
CUDA
program wrong "$work/wrong.cu" -DTIMELINE -DTIMELINE_MARKS=32
for which in 0 1 2 3; do
  $vhopper run --no-check --time h100 --timeline "$work/it.svg" -- "$work/wrong" "$work/marks" $which \
    >"$work/said" 2>&1 || fail "case $which does not run"
  case $which in
  0) grep -q 'Named ranges:' "$work/said" && fail 'the two sides of a branch are accused' ;;
  1) says 'warp 0 of block 0 comes to timeline_end("never begun") without timeline_begin (' ;;
  2)
    says 'warp 0 of block 0 comes to timeline_begin("never ended") and never to timeline_end (1 times).'
    says 'warp 0 of block 0 comes to timeline_begin("nor this") and never to timeline_end (1 times).'
    ;;
  3) says 'of the threads of warp 0 of block 0 that come to timeline_begin("outer"), some never come' ;;
  esac
  $vhopper timeline "$work/marks" >"$work/said" 2>&1 || fail "case $which can not be read"
  says 'marks found no room: of each processor the first 32 are kept.'
  says 'compile with -DTIMELINE_MARKS=128'
done

# A range that begins long before the picture and ends long after it lasts all the time.
cat >"$work/whole.cu" <<'CUDA'
#include "timeline.cuh"
__global__ void whole(int *data) {
  timeline_begin("all of it");
  for (int i = 0; i < 400; i++) {
    timeline_begin("a round");
    data[i * 4096 + threadIdx.x] += 1;
    timeline_end("a round");
  }
  timeline_end("all of it");
}
int main() {
  int *data;
  if (cudaMalloc(&data, 400 * 4096 * 4) != cudaSuccess) return 1;
  whole<<<2, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
program whole "$work/whole.cu"
$vhopper run --no-check --time h100 --timeline "$work/it.svg" -- "$work/whole" >"$work/said" 2>&1 ||
  fail 'whole does not run'
grep -q '<title>range: all of it, line ' "$work/it.svg" || fail 'a range around the picture has no bar'
grep -q 'Named ranges:' "$work/said" && fail 'a range around the picture is accused'
cp "$work/marks" "$work/kept"
$vhopper timeline "$work/marks" "$work/marks" >"$work/said" 2>&1 && fail 'the marks are overwritten'
says 'ends in .svg'
cmp -s "$work/marks" "$work/kept" || fail 'the marks are gone'
$vhopper timeline "$work/none" >"$work/said" 2>&1 && fail 'a file that is not there is read'
says 'No such file'
$vhopper run -- "$work/wrong" /nowhere/marks 0 >"$work/said" 2>&1 && fail 'a file that can not be written'
says 'timeline_write("/nowhere/marks"): the file can'
printf '#include "timeline.cuh"\n__global__ void k() { timeline_begin("%s"); }\n' \
  'a name of more than 24 letters' >"$work/long.cu"
$nvcc -gencode arch=compute_90,code=sm_90 -cubin "$work/long.cu" -o "$work/long" >"$work/said" 2>&1 &&
  fail 'a long name is accepted'
says 'the name of a range is a string of 1 to 24 letters'
