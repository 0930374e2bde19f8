#!/bin/sh
# In: a lab. Out: the kit's version: a checksum of every file that judges submissions and that students have
# as well. So a handout has the same version as the kit that it was made of. `make handin` writes the version
# into the manifest.
#   kit-version.sh LAB
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?kit-version.sh LAB}
find grader interface labs/"$lab"/lab.cfg -type f ! -path 'grader/tests/*' ! -path 'grader/hidden/*' \
  ! -path 'grader/setup/*' ! -name '*.md' \
  ! \( -path 'grader/exercises/*/*' ! -path "grader/exercises/$lab/*" \) |
  LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | sha256sum | cut -c1-16
