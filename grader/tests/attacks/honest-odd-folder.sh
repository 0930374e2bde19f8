#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission in a folder whose name has spaces and accents
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
folder="$1 de Zoë Ångström"
mkdir "$folder"
cp "$solution" "$folder/$exercise.cu"
echo "$folder"
