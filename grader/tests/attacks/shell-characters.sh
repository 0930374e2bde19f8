#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: has file names that a shell would take for commands
# expect: exit 0
# expect: silent about owned:
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
folder="$1 \$(touch owned) ; touch owned; "
mkdir "$folder"
cp "$solution" "$folder/$exercise.cu"
echo x >"$folder/\$(touch owned).cu"
printf x >"$folder/$(printf 'new\nline').cu"
echo "$folder"
