#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if nothing that follows from something unsupported is reported
# as a fault.
# The idea: a program ignores the error of an unsupported call, or of a kernel that can't be decoded, and goes
# on with what it hasn't got. Or a kernel waits for work of another stream, which runs later here. Each way
# ends with 69, names what is unsupported once and first, and breaks no rule.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(sh grader/tests/work-folder.sh unsupported $$)
trap 'rm -rf "$work"' EXIT
compile() { sh grader/tests/known-nvcc.sh "$nvcc" "$@"; }
failed=0

cat >"$work/program.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__global__ void write_to(int *place) { *place = 1; }
__global__ void follow(int **place) { **place = 1; }
__global__ void await(volatile int *flag) { while (*flag == 0) {} }
__global__ void insist(const int *value) { if (*value != 7) __trap(); }
__global__ void meet() { if (threadIdx.x < 7) asm volatile("bar.sync 1, 64;"); }
__global__ void follow_then_meet(const volatile int *flag) {
  while (*flag == 0) {}
  if (threadIdx.x < 7) asm volatile("bar.sync 1, 64;");
}
__global__ void cannot_be_decoded(int **place) {
  asm volatile("{.reg .b32 a<8>;\n"
               "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {a0,a1,a2,a3}, {a4,a5}, {a6,a7}, "
               "{a0,a1,a2,a3};\n}"
               ::);
  *place = nullptr;
}
static void array() {
  const cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaMipmappedArray_t made;
  cudaMallocMipmappedArray(&made, &floats, make_cudaExtent(64, 64, 0), 2);
}
static cudaStream_t beside() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}
int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  int *memory, *place = nullptr, **places;
  cudaMalloc(&memory, 64);
  cudaMemset(memory, 0, 64);
  cudaMalloc(&places, 64);
  cudaMemset(places, 0, 64);
  switch (atoi(mode)) {
  case 1: array(); write_to<<<1, 1>>>(place); break;
  case 2: {
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps wanted = {};
    wanted.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    cudaMemPoolCreate(&pool, &wanted);
    cudaMallocFromPoolAsync(reinterpret_cast<void **>(&place), 64, pool, 0);
    write_to<<<1, 1>>>(place);
    break;
  }
  case 3: {
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &texel, 8, 8, cudaArraySparse);
    write_to<<<1, 1>>>(reinterpret_cast<int *>(array));
    break;
  }
  case 4: {
    cudaIpcMemHandle_t handle = {};
    cudaIpcOpenMemHandle(reinterpret_cast<void **>(&place), handle, 1);
    write_to<<<1, 1>>>(place);
    break;
  }
  case 5: cannot_be_decoded<<<1, 32>>>(places); follow<<<1, 1>>>(places); break;
  case 6: array(); await<<<1, 1>>>(memory); break; // which the copy would have set
  case 7: array(); insist<<<1, 1>>>(memory); break;
  case 8: array(); write_to<<<1, 4096>>>(memory); break; // a refused launch
  case 9: array(), *static_cast<volatile int *>(place) = 1; break; // dies on the host
  case 10: for (int i = 0; i < 1000; i++) array(); write_to<<<1, 1>>>(place); break;
  case 11: array(); meet<<<1, 32>>>(); break;
  case 12: array(); write_to<<<1, 1>>>(memory + 16); break; // right behind its memory
  case 13: write_to<<<1, 1>>>(place); array(); break; // a fault before it stays one
  case 14: await<<<1, 1, 0, beside()>>>(memory); write_to<<<1, 1, 0, beside()>>>(memory); break;
  case 15: {
    int one = 1;
    await<<<1, 1, 0, beside()>>>(memory);
    cudaMemcpy(memory, &one, sizeof one, cudaMemcpyHostToDevice);
    break;
  }
  case 16: beside(), await<<<1, 1>>>(memory); write_to<<<1, 1, 0, beside()>>>(memory); break;
  case 17: { // nothing runs beside it
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    await<<<1, 1, 0, stream>>>(memory);
    write_to<<<1, 1>>>(memory);
    break;
  }
  case 18: beside(), meet<<<1, 32>>>(); break; // a stream that doesn't matter
  case 19: { // ordinary streams run beside each other, too
    cudaStream_t one, other;
    cudaStreamCreate(&one), cudaStreamCreate(&other);
    await<<<1, 1, 0, one>>>(memory);
    write_to<<<1, 1, 0, other>>>(memory);
    break;
  }
  case 20: { // it has looked at managed memory, but waits for something else
    int *managed;
    cudaMallocManaged(&managed, 64);
    managed[0] = 1;
    await<<<1, 1>>>(managed), follow_then_meet<<<1, 32>>>(managed);
    break;
  }
  }
  cudaDeviceSynchronize();
  return 0;
}
CUDA
compile -cudart shared -std=c++17 -gencode arch=compute_90,code=compute_90 "$work/program.cu" \
  -o "$work/program"

complain() {
  echo "way $way: $1"
  head -c 2000 "$work/output"
  failed=1
}

for way in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 19; do
  status=0
  build/bin/vhopper run --json "$work/report" -- "$work/program" $way >"$work/output" 2>&1 || status=$?
  [ $status = 69 ] || complain "exit $status, not 69"
  told=$(grep -c 'is not supported by the virtual Hopper' "$work/output" || true)
  [ "$told" -le 2 ] || complain "complains $told times"
  named=$(grep -c '"what": ' "$work/report" || true)
  case $named in
  1 | 2) ;;
  *) complain "names $named unsupported things" ;;
  esac
  first=$(grep -nE 'not supported: |\(rule ' "$work/output" | head -n 1)
  case $first in
  *"not supported: "*) ;;
  *) complain "does not begin with what is unsupported: $first" ;;
  esac
  rules=$(grep -c '"rule": ' "$work/report" || true)
  if [ $way = 13 ]; then
    [ "$rules" = 1 ] || complain "reports $rules faults, not the one from before"
  else
    [ "$rules" = 0 ] || complain "reports $rules faults"
  fi
done

# The place and what to do instead stand beside the name.
build/bin/vhopper run -- "$work/program" 4 >"$work/output" 2>&1 || true
way=4
grep -q 'cudaIpcOpenMemHandle is not supported .*called at .*/program+0x.*Let one process' "$work/output" ||
  complain "names no place or no remedy"

for way in 17 18 20; do
  status=0
  build/bin/vhopper run --json "$work/report" -- "$work/program" $way >"$work/output" 2>&1 || status=$?
  [ $status = 66 ] || complain "exit $status, not 66"
done
exit $failed
