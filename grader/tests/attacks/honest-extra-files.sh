#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission with files that nobody asked for
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir -p "$1/notes" "$1/.git"
cp "$solution" "$1/$exercise.cu"
cp "$solution" "$1/old version.cu"
echo hello >"$1/notes/todo.txt"
head -c 3000000 /dev/zero >"$1/core"
ln -s /nowhere "$1/dangling"
echo "$1"
