#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a folder that only root can enter; a user is told so, and it is not taken for missing
# expect: exit 1
# expect: says falls short
# expect: says 1-bulk-copy-1d.cu
# expect: silent about grader error
# expect as user: exit 2
# expect as user: says hand-in/folder: Permission denied
# expect as user: silent about falls short
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir -m 000 "$1"
echo "$1"
