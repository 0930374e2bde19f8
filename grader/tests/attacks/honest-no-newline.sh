#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission without a newline at the end, and with accents in comments
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
{ echo "// für später: naïve Lösung — ✓"; cat "$solution"; printf "// end"; } >"$1/$exercise.cu"
echo "$1"
