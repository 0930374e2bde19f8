#!/bin/sh
# make-prefixes.sh NVCC FOLDER FLAGS..: makes the prefixes for both architectures that submissions are
# compiled for. Where that fails there are none, and everything is compiled without.
set -eu
nvcc=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Submissions are compiled without these.
unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
: >"$folder/empty.cu"
LEAN_COMPILER=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' build/setup.h) LEAN_KEEPS=/nowhere
LEAN_PREFIXES=$folder LEAN_MAKES=yes
export LEAN_COMPILER LEAN_KEEPS LEAN_PREFIXES LEAN_MAKES
for arch in 90 90a; do
  "$nvcc" -ccbin "$PWD/build/bin/lean-compiler" "$@" \
    -gencode "arch=compute_$arch,code=[sm_$arch,compute_$arch]" \
    "$folder/empty.cu" -o "$folder/empty.o" >"$folder/said" 2>&1 || break
done
rm -f "$folder/empty.cu" "$folder/empty.o"
chmod -R go+rX "$folder"
touch "$folder/made"
