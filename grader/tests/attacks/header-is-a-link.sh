#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: has a header of its own that is a link to the password file
# expect: exit 1
# expect: says does not compile
# expect: says Its header secret.h is not taken, since it is a symbolic link
# expect: silent about root:
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
ln -s /etc/passwd "$1/secret.h"
{ echo '#include "secret.h"'; cat "$solution"; } >"$1/$exercise.cu"
echo "$1"
