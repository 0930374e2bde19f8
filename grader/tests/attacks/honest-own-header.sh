#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission with a header of its own
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
echo 'constexpr int nothing = 0;' >"$1/helpers.cuh"
{ echo '#include "helpers.cuh"'; cat "$solution"; echo 'static_assert(nothing == 0);'; } >"$1/$exercise.cu"
echo "$1"
