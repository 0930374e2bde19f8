#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a file that only root can read, and it is empty; a user is told that it cannot be read
# expect: exit 1
# expect: says falls short
# expect: says 1-bulk-copy-1d.cu
# expect: silent about grader error
# expect as user: exit 1
# expect as user: says cannot be read
# expect as user: silent about grader error
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
: >"$1/$exercise.cu"
chmod 000 "$1/$exercise.cu"
echo "$1"
