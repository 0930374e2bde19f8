#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a named pipe that nobody writes to
# expect: exit 1
# expect: says is a named pipe
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
mkfifo "$1/$exercise.cu"
echo "$1"
