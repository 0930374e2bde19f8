#!/bin/sh
# lean-nvcc.sh KEEPS ARGUMENT..: what nvcc makes of these arguments, `-c` and one source among them, in less
# than half of the time. The idea: as in gradings, what the source doesn't name is taken out of the headers
# (grader/lean). KEEPS are the folders of the source and of headers of our own, as the arguments name them,
# with : in between: nothing of theirs is taken out. What doesn't compile so is compiled as it is.
set -eu
kit=$(cd "$(dirname "$0")/../.." && pwd)
nvcc=${NVCC:-$(sed -n 's/^NVCC := //p' "$kit/build/setup.mk")}
LEAN_COMPILER=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' "$kit/build/setup.h")
LEAN_KEEPS=$1 LEAN_PREFIXES=$kit/build/lean
export LEAN_COMPILER LEAN_KEEPS LEAN_PREFIXES
shift
"$nvcc" -ccbin "$kit/build/bin/lean-compiler" -D_GLIBCXX_BITS_SPECFUN_H -D__TEXTURE_INDIRECT_FUNCTIONS_H__ \
  -D__SURFACE_INDIRECT_FUNCTIONS_H__ "$@" >/dev/null 2>&1 || exec "$nvcc" "$@"
