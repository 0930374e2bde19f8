#!/bin/sh
# In: the built grader, CUDA_HOME. Out: exit 0 if `grader doctor` finds the GPUs that a driver offers (the
# first one and all others of its model, and no more), and says why if none can be used.
# The idea: fake-driver.c is a driver without a GPU, so any machine can run this test.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# All calls that the grader looks for and the fake doesn't have do nothing.
fake=grader/tests/house/fake-driver.c
defsyms=$(sed -n 's/.*CALL([a-z_]*, "\(cu[A-Za-z0-9_]*\)").*/\1/p' grader/device/gpu-driver.c |
  while read -r name; do
    grep -q "^CUresult $name(" $fake || printf ' -Wl,--defsym=%s=fake_call' "$name"
  done)
mkdir "$scratch/whole" "$scratch/old"
# shellcheck disable=SC2086  # words
gcc -shared -fPIC -isystem "$CUDA_HOME/include" $fake $defsyms -Wl,-soname,libcuda.so.1 \
  -o "$scratch/whole/libcuda.so.1" || exit 1
gcc -shared -fPIC -isystem "$CUDA_HOME/include" $fake -Wl,-soname,libcuda.so.1 \
  -o "$scratch/old/libcuda.so.1" || exit 1

# expect GPUS WORDS: if the driver offers these GPUs, the doctor's line about GPUs ends in these words.
expect() {
  said=$(FAKE_GPUS=$1 LD_LIBRARY_PATH="$scratch/${driver:-whole}" build/bin/grader doctor |
    sed -n 's/^  Hopper GPU  *//p')
  [ "$said" = "$2" ] && return
  echo "with the GPUs $1 the doctor says '$said' instead of '$2'"
  failed=1
}

expect 'NVIDIA H200:9' 'yes      NVIDIA H200'
expect 'NVIDIA H200:9;NVIDIA H200:9' 'yes      NVIDIA H200, and 1 more like it'
# A class is graded on GPUs of one model, whatever else the machine has.
expect 'NVIDIA H200:9;NVIDIA A100:8;NVIDIA H100:9;NVIDIA H200:9;NVIDIA H200:9' \
  'yes      NVIDIA H200, and 2 more like it'
expect "NVIDIA B200:10$(yes ';NVIDIA B200:10' | head -n 79 | tr -d '\n')" \
  'yes      NVIDIA B200, and 63 more like it'
expect 'NVIDIA A100:8;NVIDIA H100:9' 'no       the NVIDIA A100 here has compute capability 8.0, not 9.0'
expect '' 'no       no GPU here'
export FAKE_BROKEN=yes
expect 'NVIDIA H200:9' 'no       no usable GPU here'
unset FAKE_BROKEN
driver=old
expect 'NVIDIA H200:9' 'no       the CUDA driver here is too old'
exit $failed
