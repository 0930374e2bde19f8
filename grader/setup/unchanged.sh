#!/bin/sh
# In: a stamp, the folder of the CUDA Toolkit, what is built. Out: exit 0 if all of it is there, and nothing
# that it is made from has changed since the stamp.
# The idea: make reads thousands of lists of headers before it knows that there is nothing to do. One walk
# over the sources knows it sooner. It asks when a file was last changed in any way, which an unpacked
# archive's old times don't hide; a file gone has changed its folder. An exercise's own file is built later.
#   unchanged.sh STAMP CUDA_HOME FILE ..
set -u
stamp=$1 cuda=$2
shift 2
for file in "$stamp" "$@"; do
  [ -e "$file" ] || exit 1
done
changed() { find -L "$@" -cnewer "$stamp" -print -quit 2>&1; }
[ -z "$(changed Makefile grader interface build/setup.mk)" ] &&
  [ -z "$(changed labs "$cuda/include" /usr/include -maxdepth 0)" ] &&
  [ -z "$(changed labs -name '*.h')" ]
