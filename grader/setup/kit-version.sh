#!/bin/sh
# In: a lab. Out: the kit's version: a checksum of all that judges and that students have too, so that it is the same in a handout and in the kit
# that the handout was made of. `make handin` writes it into the manifest.
#   kit-version.sh LAB
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?kit-version.sh LAB}
find grader interface labs/"$lab"/lab.cfg -type f ! -path 'grader/tests/*' ! -path 'grader/hidden/*' ! -path 'grader/setup/*' |
  LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | sha256sum | cut -c1-16
