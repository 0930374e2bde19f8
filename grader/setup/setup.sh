#!/bin/sh
# In: LEVEL (student or developer) and the makefile to write; CC, NVCC, CUDA_HOME when the caller chose them.
# Out: the makefile with the places of the tools; exit 2 with the one command to run when they can't be had.
# The idea: test for files, which takes milliseconds, and install only what a test misses.
set -eu
level=$1
makefile=$2

find_nvcc() {
  for candidate in "${NVCC:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "$(command -v nvcc || true)" \
    /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc "$PWD/.kit/cuda/bin/nvcc"; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null; then
      command -v "$candidate"
      return
    fi
  done
}

nvcc=$(find_nvcc)
mkdir -p "$(dirname "$makefile")"
{
  echo "CC := ${CC:-gcc}"
  echo "NVCC := $nvcc"
  echo "CUDA_HOME := $(dirname "$(dirname "$(readlink -f "$nvcc")")")"
  echo "CLANG := $(command -v clang || command -v clang-14 || true)"
  echo "CLANG_FORMAT := $(command -v clang-format-14 || command -v clang-format || true)"
  echo "CLANG_TIDY := $(command -v clang-tidy-14 || command -v clang-tidy || true)"
  echo "KIT_CPPFLAGS :="
  echo "KIT_LDFLAGS :="
} >"$makefile.new"
if cmp -s "$makefile.new" "$makefile"; then rm "$makefile.new"; else mv "$makefile.new" "$makefile"; fi
