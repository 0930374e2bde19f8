#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission written on Windows, with a byte order mark
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
{ printf '\357\273\277'; sed 's/$/\r/' "$solution"; } >"$1/$exercise.cu"
echo "$1"
