#!/bin/sh
# In: the built kit; NVCC and CUDA_HOME. Out: the virtual Hopper's throughput, the time that grading takes,
# and on a machine with a GPU the bandwidth of lab9's solutions next to the alternatives. Exit 1
# when a figure is below what is promised.
# The idea: figures to copy into docs/measurements.md, each with the command that gave it.
set -eu
bench=grader/tests/bench
build=build/bench
mkdir -p $build
failed=0

say() { printf '\n$ %s\n' "$*"; }

for program in build/bin/bench-*; do
  say "$program"
  "$program" || failed=1
done

# grading DEVICE: the solutions through all stages, with the clock running.
grading() {
  say "build/bin/grader check lab9 --submission solutions/lab9 --device $1"
  before=$(date +%s%N)
  build/bin/grader check lab9 --submission solutions/lab9 --device "$1" || failed=1
  echo "everything built: $((($(date +%s%N) - before) / 1000000)) ms"
}

# bandwidth NUMBER SOLUTION: 4 GiB, 21 rounds in turn.
bandwidth() {
  "$NVCC" -shared -Xcompiler -fPIC -cudart shared -std=c++17 \
    -gencode 'arch=compute_90,code=[sm_90,compute_90]' \
    -Iinterface -Ilabs/lab9 "$2" -o "$build/$1.so"
  say "compare-bandwidth $1 4096 21 $2"
  LD_LIBRARY_PATH=$CUDA_HOME/lib64 $build/compare-bandwidth "$1" 4096 21 "$build/$1.so" || failed=1
}

grading virtual
if [ -e /dev/nvidiactl ]; then
  grading gpu
  "$NVCC" -O3 -cudart shared -std=c++17 -gencode 'arch=compute_90,code=[sm_90,compute_90]' \
    --extended-lambda -Iinterface \
    $bench/compare-bandwidth.cu -ldl -o $build/compare-bandwidth
  for solution in solutions/lab9/*.cu; do
    number=${solution##*/}
    bandwidth "${number%%-*}" "$solution"
  done
  columns='exercise, tile bytes, stages, ratio to the best of cudaMemcpy, cub and a plain kernel'
  say "grader/tests/bench/sweep.sh      $columns"
  CUDA_HOME=$CUDA_HOME NVCC=$NVCC sh $bench/sweep.sh
  echo "plotted in build/bench/sweep.svg"
else
  printf '\nNo GPU here: bandwidth is measured on a machine with one.\n'
fi
exit $failed
