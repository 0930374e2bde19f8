#!/bin/sh
# In: the name of a test, and the number of its process. Out: prints an empty folder for it, which the test
# removes at its end. It is the same folder each time, unless another run of this test uses it now: programs
# name the paths of their sources, so only what is compiled at the same place as last time is known to the
# grader (grader/referee/program-cache.h).
set -eu
parent=${TMPDIR:-/tmp}/tma-tests-$(id -u)
folder=$parent/$1
owner=$parent/.$1.owner
other() {
  mktemp -d
  exit
}
mkdir -m 711 "$parent" 2>/dev/null || [ -d "$parent" ] || other
# Anybody may make a folder of that name in /tmp.
{ [ "$(stat -c %u "$parent")" = "$(id -u)" ] && [ ! -h "$parent" ]; } || other
exec 9>"$parent/.lock"
flock 9 || other
if [ -e "$folder" ] && kill -0 "$(cat "$owner" 2>/dev/null || echo 1)" 2>/dev/null; then other; fi
rm -rf "$folder" || other
mkdir -m 700 "$folder" || other
echo "$2" >"$owner"
echo "$folder"
