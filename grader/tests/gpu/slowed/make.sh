#!/bin/sh
# In: the solutions. Out: build/slowed/lab9, the same slowed to 0.97 of their targets, as submissions.
set -eu
cd "$(dirname "$0")/../../../.."
mkdir -p build/slowed/lab9
for braked in grader/tests/gpu/slowed/*.cu; do
  name=$(basename "$braked" .cu)
  launcher=$(sed -n 's,^extern "C" cudaError_t \([a-z0-9_]*\)(.*,\1,p' "$braked")
  {
    echo "#define $launcher unbraked"
    cat "solutions/lab9/$name.cu"
    echo "#undef $launcher"
    cat grader/tests/gpu/slowed/brake.cuh "$braked"
  } >"build/slowed/lab9/$name.cu"
done
