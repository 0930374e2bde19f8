#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in four megabytes
# expect: exit 1
# expect: says at most 1 MiB is accepted
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
head -c 4000000 /dev/zero >"$1/$exercise.cu"
echo "$1"
