#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if `vhopper run` keeps its contract: exit status, reports,
# messages.
# The idea: one small program misbehaves in the way that its argument names, and every way is tried.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
vhopper=build/bin/vhopper
work=$(sh grader/tests/work-folder.sh vhopper-run $$)
trap 'rm -rf "$work"' EXIT
compile() { sh grader/tests/known-nvcc.sh "$nvcc" "$@"; }
failed=0

cat >"$work/program.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
__global__ void say(int number) { printf("kernel %d\n", number); }
__global__ void write_to(int *place) { *place = 1; }
__global__ void race(int *place) {
  __shared__ int shared[64];
  shared[threadIdx.x] = *place;
  place[threadIdx.x % 16] = shared[63 - threadIdx.x];
}
__global__ void other_race(int *place) {
  __shared__ int shared[64];
  shared[threadIdx.x] = *place;
  place[threadIdx.x % 16] = shared[63 - threadIdx.x];
}
__global__ void count_for_ever(int *place) {
  for (unsigned i = 1; i; i += 2) *static_cast<volatile int *>(place) = i;
}
static int use_device(bool wrongly) {
  int *memory = nullptr, written = 0;
  cudaMalloc(&memory, 64);
  if (wrongly) race<<<1, 64>>>(memory);
  write_to<<<1, 1>>>(memory);
  cudaMemcpy(&written, memory, sizeof written, cudaMemcpyDeviceToHost);
  return written == 1 ? 0 : 1;
}
// Each child, and the parent beside them, is a process with a device of its own.
static int in_children() {
  for (int child = 0; child < 2; child++)
    if (fork() == 0) _exit(use_device(child == 0));
  int failed = use_device(false), status = 0;
  while (wait(&status) > 0) failed |= status;
  return failed;
}
int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "children") == 0) return in_children();
  int *memory, status = 0;
  if (strcmp(mode, "exit") == 0) return atoi(arguments[2]);
  if (strcmp(mode, "kill") == 0) kill(getpid(), atoi(arguments[2]));
  if (cudaMalloc(&memory, 64) != cudaSuccess) return puts(cudaGetErrorName(cudaGetLastError())), 9;
  if (strcmp(mode, "print") == 0) {
    printf("one\n");
    say<<<1, 1>>>(2);
    printf("two\n");
    cudaDeviceSynchronize();
    printf("three\n");
  }
  if (strcmp(mode, "break") == 0) write_to<<<1, 1>>>(nullptr), cudaDeviceSynchronize();
  if (strcmp(mode, "unsupported") == 0) {
    cudaUserObject_t object;
    const cudaError_t made = cudaUserObjectCreate(&object, nullptr, nullptr, 1, 1), last = cudaGetLastError();
    return made == cudaErrorNotSupported && last == cudaErrorNotSupported ? 0 : 1;
  }
  if (strcmp(mode, "bad-pointer") == 0)
    cudaMemcpy(memory, reinterpret_cast<void *>(64), 64, cudaMemcpyHostToDevice);
  if (strcmp(mode, "break-and-fail") == 0) return write_to<<<1, 1>>>(nullptr), cudaDeviceSynchronize(), 3;
  if (strcmp(mode, "two-lines") == 0) {
    race<<<1, 64>>>(memory);
    other_race<<<1, 64>>>(memory);
    cudaDeviceSynchronize();
  }
  if (strcmp(mode, "refuse") == 0) {
    say<<<1, 2048>>>(1);
    return cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1;
  }
  if (strcmp(mode, "endless") == 0) {
    race<<<1, 64>>>(memory);
    count_for_ever<<<1, 1>>>(memory);
    cudaDeviceSynchronize();
  }
  if (strcmp(mode, "fork") == 0) {
    if (fork() == 0) _exit(cudaMalloc(&memory, 64));
    wait(&status);
    return WEXITSTATUS(status) == cudaErrorInitializationError && cudaMemset(memory, 0, 64) == cudaSuccess
               ? 0
               : 1;
  }
  return 0;
}
CUDA
architecture='arch=compute_90,code=[sm_90,compute_90]'
compile -cudart shared -std=c++17 -gencode "$architecture" "$work/program.cu" -o "$work/program"
# Some installations of CUDA have no static runtime.
has_static=yes
compile -cudart static -std=c++17 -gencode "$architecture" "$work/program.cu" -o "$work/static" \
  2>"$work/output" || has_static=no
# A library that brings the static runtime with it, as cuBLAS does, and a program that calls it.
echo 'extern "C" int probe(void) { int count; return cudaGetDeviceCount(&count); }' >"$work/own.cu"
echo 'extern "C" int probe(void); int main() { return probe(); }' >"$work/calls.cu"
if [ $has_static = yes ]; then
  compile -cudart static -shared -Xcompiler -fPIC "$work/own.cu" -o "$work/libown.so"
  compile -cudart shared "$work/calls.cu" "$work/libown.so" -Xlinker -rpath="$work" -o "$work/calls"
fi
compile -cudart shared -std=c++17 -gencode arch=compute_90,code=sm_90 "$work/program.cu" -o "$work/no-ptx"

# expect STATUS TEXT ARGUMENTS: what vhopper ends with, and a text that it or the program must print ('' for
# none).
expect() {
  wanted=$1
  text=$2
  shift 2
  status=0
  timeout 1000 "$@" >"$work/output" 2>&1 || status=$?
  if [ "$status" != "$wanted" ] || { [ -n "$text" ] && ! grep -qF -- "$text" "$work/output"; }; then
    echo "$*: exit $status, expected $wanted and '$text'"
    cat "$work/output"
    failed=1
  fi
}

expect 0 'vhopper run [options] -- PROGRAM' $vhopper --help
expect 0 'vhopper run [options] -- PROGRAM' $vhopper run --help
expect 2 'no command is given' $vhopper
expect 2 'there is no command walk' $vhopper walk
expect 2 "a program is run by: vhopper run -- $work/program" $vhopper "$work/program"
expect 2 'vhopper run --json ..' $vhopper --json report -- "$work/program"
expect 2 'no program is given' $vhopper run
expect 0 'vhopper 1' $vhopper --version
expect 0 'vhopper explain' $vhopper explain --help
expect 0 'proxy-fence' $vhopper explain
expect 0 'Mended' $vhopper explain proxy-fence
expect 2 'is it this one: proxy-fence' $vhopper explain proxy
expect 2 'unrecognized option' $vhopper run --sed 1 -- true
expect 2 '--seed many: must be a whole number' $vhopper run --seed many -- true
expect 2 '--workers -1: must be a whole number' $vhopper run --workers -1 -- true
expect 2 '--deadline soon: must be a number of seconds' $vhopper run --deadline soon -- true
expect 2 '--trace /nowhere/trace' $vhopper run --trace /nowhere/trace -- true
expect 2 '--trace /dev/full cannot be written' $vhopper run --trace /dev/full -- "$work/program" print
expect 2 '--json /nowhere/report' $vhopper run --json /nowhere/report -- touch "$work/ran"
mkdir "$work/folder.svg"
expect 2 "--timeline $work/folder.svg: Is a directory" \
  $vhopper run --time h100 --timeline "$work/folder.svg" -- touch "$work/ran"
expect 2 '--timeline FILE.svg writes a picture' \
  $vhopper run --time h100 --timeline "$work/it.png" -- touch "$work/ran"
expect 2 '--junit /nowhere/' $vhopper run --junit "/nowhere/%p" -- touch "$work/ran"
[ ! -e "$work/ran" ] || { echo 'a file that cannot be written is noticed after the run alone'; failed=1; }
expect 127 "can't be started" $vhopper run -- ./no-such-program
expect 126 "can't be started" $vhopper run -- ./Makefile

expect 2 'wants a file, not ' $vhopper run --json -- "$work/program"
expect 2 '--kernel wants a name' $vhopper run --kernel -- "$work/program"
expect 2 'only %p, %n, %% and %q' $vhopper run --json "$work/report.%x" -- true
expect 2 'holds a word that is no option' env VHOPPER_OPTIONS='--quiet program' $vhopper run -- true
expect 2 'leaves a quote open' env VHOPPER_OPTIONS="--json 'a" $vhopper run -- true

expect 0 '' $vhopper run -- "$work/program"
expect 7 '' $vhopper run -- "$work/program" exit 7
expect 137 '' $vhopper run -- "$work/program" kill 9
expect 139 "that the program doesn't own" $vhopper run -- "$work/program" bad-pointer
expect 66 'rule out-of-bounds' $vhopper run --json "$work/report" -- "$work/program" break
grep -q '"rule": "out-of-bounds"' "$work/report" || { echo 'the report has no rule'; failed=1; }
expect 69 'cudaUserObjectCreate is not' $vhopper run --json "$work/report" -- "$work/program" unsupported
grep -q '"what": "cudaUserObjectCreate"' "$work/report" ||
  { echo "the report doesn't name what is unsupported"; failed=1; }
expect 0 "fork before the first CUDA call" $vhopper run -- "$work/program" fork

# What a run says at its end, and what the options make of it.
expect 0 'no kernel ran, so nothing was checked' $vhopper run -- "$work/program"
expect 69 'no kernel ran, so nothing was checked' $vhopper run --require-kernel -- "$work/program"
expect 0 '1 kernel, 1 launch: 0 faults, 0 warnings' $vhopper run --require-kernel -- "$work/program" print
expect 0 'no kernel ran, so nothing was checked, 1 refused' $vhopper run -- "$work/program" refuse
expect 3 'rule out-of-bounds' $vhopper run -- "$work/program" break-and-fail
expect 66 'build it with nvcc -lineinfo' $vhopper run -- "$work/program" break
expect 9 'rule out-of-bounds' $vhopper run --error-exitcode 9 -- "$work/program" break-and-fail
expect 9 'rule out-of-bounds' env VHOPPER_OPTIONS='--error-exitcode 9' $vhopper run -- "$work/program" break
expect 4 '' env VHOPPER_OPTIONS='--error-exitcode 9' $vhopper run --error-exitcode 4 -- "$work/program" break
expect 66 '2 kernels, 2 launches: 2 faults, 0 warnings' $vhopper run -- "$work/program" two-lines
expect 66 '1 more of them are not printed' $vhopper run --print-limit 1 -- "$work/program" two-lines
expect 66 ': 1 fault,' $vhopper run --kernel 'other*' -- "$work/program" two-lines
expect 66 ': 1 fault,' $vhopper run --skip-launches 1 -- "$work/program" two-lines
expect 66 ': 1 fault,' $vhopper run --launches 1 -- "$work/program" two-lines
expect 0 ': 0 faults,' $vhopper run --kernel race --skip-launches 1 -- "$work/program" two-lines
expect 66 '' env WORD=word $vhopper run --log-file "$work/%n.%q{WORD}.%p.log" -- "$work/program" break
if grep -q 'rule' "$work/output"; then echo 'the report is on stderr, too'; failed=1; fi
grep -q 'rule out-of-bounds' "$work"/program.word.*.log || { echo 'no report in the log file'; failed=1; }
$vhopper run --quiet -- "$work/program" print >"$work/output" 2>&1
if grep -q vhopper "$work/output"; then echo '--quiet is not'; failed=1; fi

# A forked process has a device of its own, as long as its parent has not used CUDA.
expect 66 '2 kernels, 4 launches: 1 fault' $vhopper run -- "$work/program" children

# Neither its own paths nor the environment lead a program to NVIDIA's own runtime.
compile -cudart shared -std=c++17 -gencode "$architecture" "$work/program.cu" -o "$work/elsewhere" \
  -Xlinker --disable-new-dtags,-rpath,"$cuda/lib64"
[ ! -e "$cuda/lib64/libcudart.so.13" ] ||
  expect 0 'kernel 2' $vhopper run --require-kernel -- "$work/elsewhere" print
expect 0 'kernel 2' $vhopper run --require-kernel -- env -u LD_LIBRARY_PATH "$work/program" print
# A runtime of another version is noticed.
echo 'int cudaOther(void) { return 0; }' | ${CC:-cc} -xc -shared -Wl,-soname,libcudart.so.11.0 - \
  -o "$work/libcudart.so.11.0"
echo 'int cudaOther(void); int main(void) { return cudaOther(); }' >"$work/other.c"
${CC:-cc} "$work/other.c" "$work/libcudart.so.11.0" -Wl,-rpath,"$work" -o "$work/other"
expect 69 'another CUDA library' $vhopper run -- "$work/other"

# Whoever ends a run gets its report, though a kernel is running.
expect 75 'was ended after 1 seconds' $vhopper run --time-limit 1 --budget 0 -- "$work/program" endless
# A busy machine needs more than a second to get to the race, so there are longer ones.
# shellcheck disable=SC2317 # called below, by name
limited() { "$vhopper" run --time-limit "$1" --budget 0 -- "$work/program" endless; }
# shellcheck disable=SC2317
interrupted() {
  timeout --foreground --preserve-status -s INT "$1" "$vhopper" run --budget 0 -- "$work/program" endless
}
for ending in limited interrupted; do
  wanted=75
  [ $ending = limited ] || wanted=130
  for seconds in 1 10 100 none; do
    [ $seconds != none ] || { echo "$ending: exit $status, or no race"; cat "$work/output"; failed=1; break; }
    status=0
    $ending $seconds >"$work/output" 2>&1 || status=$?
    if [ $status = $wanted ] && grep -qF 'rule shared-race' "$work/output"; then break; fi
  done
done
[ $has_static = no ] || expect 69 'nvcc -cudart shared' $vhopper run -- "$work/static"
[ $has_static = no ] ||
  expect 69 'libown.so, a library with a CUDA runtime of its own' $vhopper run -- "$work/calls"
expect 69 'PTX' $vhopper run -- "$work/no-ptx" break
expect 9 'vhopper run -- PROGRAM' env LD_LIBRARY_PATH=build/lib "$work/program"
expect 9 'is no socket of this process' env LD_LIBRARY_PATH=build/lib VHOPPER_SOCKET=77 "$work/program"
expect 0 '' $vhopper run -- sh -c "'$work/program' && '$work/program' print"

# The output of kernels appears when the program waits, as on hardware.
$vhopper run -- "$work/program" print >"$work/printed"
printf 'one\ntwo\nkernel 2\nthree\n' | cmp -s - "$work/printed" ||
  { echo 'printed in another order:'; cat "$work/printed"; failed=1; }

# Every name of NVIDIA's runtime is there, under its version node.
names() {
  nm -D --defined-only "$1" | sed -n 's/.* T \(.*\)@@libcudart.*/\1/p' | sort
}
real=$cuda/lib64/libcudart.so.13
if [ -e "$real" ]; then
  names "$real" >"$work/real"
  names build/lib/libcudart.so.13 >"$work/ours"
  missing=$(comm -23 "$work/real" "$work/ours")
  if [ ! -s "$work/real" ] || [ -n "$missing" ]; then
    echo "libcudart.so.13 lacks: $missing"
    failed=1
  fi
fi

# CUDA 12's library: the same functions under another version node, and another layout of cudaDeviceProp,
# known by offsets here.
cat >"$work/properties.c" <<'C'
#include <stdio.h>
#include <string.h>
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaRuntimeGetVersion(int *version);
int main(void) {
  char p[1032 + 8];
  int version = 0, processors, major;
  memset(p, 0x77, sizeof p);
  if (cudaGetDeviceProperties_v2(p, 0) || cudaRuntimeGetVersion(&version)) return 1;
  memcpy(&major, p + 360, 4);
  memcpy(&processors, p + 388, 4);
  printf("%s %d %d %d\n", p, version, processors, major);
  return p[1031] == 0 && p[1032] == 0x77 ? 0 : 2;
}
C
${CC:-cc} "$work/properties.c" build/lib/libcudart.so.12 -o "$work/properties"
expect 0 'NVIDIA H100 80GB HBM3 12000 132 9' $vhopper run -- "$work/properties"
compile -cudart none -std=c++17 -gencode "$architecture" "$work/program.cu" \
  -Xlinker build/lib/libcudart.so.12 -o "$work/program-12"
expect 0 'kernel 2' $vhopper run -- "$work/program-12" print

# If vhopper is ended, the program ends, too.
mkfifo "$work/pipe"
$vhopper run -- sh -c 'echo $$; exec sleep 3600' >"$work/pipe" &
job=$!
read -r process <"$work/pipe"
kill -TERM $job
status=0
wait $job || status=$?
[ $status = 143 ] || { echo "ended by SIGTERM: exit $status, expected 143"; failed=1; }
# It is killed at that moment, and gone when the machine gets to it.
tries=0
while kill -0 "$process" 2>/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 3000 ] || { echo 'the program outlived vhopper'; failed=1; break; }
  sleep 0.1
done
exit $failed
