#!/bin/sh
# known-nvcc.sh NVCC ARGUMENT..: runs nvcc, or `sh grader/tests/lean-nvcc.sh KEEPS`, with one file to write
# (-o FILE), or takes what the same command has made of the same bytes before, from build/known. The idea: a
# test is about what the program does; it need not be compiled again if nothing that it is made of has
# changed. Those bytes are the sources that are named, headers beside them and below the folders of -I, which
# have to be all that is included besides the system's, and the tools. What prints anything is not kept.
set -eu
kit=$(cd "$(dirname "$0")/../.." && pwd)
known=$kit/build/known
output='' before=''
for word in "$@"; do
  [ "$before" != -o ] || output=$word
  before=$word
done
home=$(sed -n 's/^CUDA_HOME := //p' "$kit/build/setup.mk")
host=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' "$kit/build/setup.h")

# Names of files, with a zero byte behind each.
sources() {
  printf '%s\0' "$kit/build/bin/lean-compiler" "$kit/grader/tests/lean-nvcc.sh"
  shift # what compiles
  for word in "$@"; do
    folder=${word#-I}
    if [ -f "$word" ] && [ "$word" != "$output" ]; then
      printf '%s\0' "$word"
      folder=$(dirname "$word")
    fi
    if [ "$folder" != "$word" ] && [ -d "$folder" ]; then
      find "$folder" -type f \( -name '*.h' -o -name '*.cuh' \) -print0
    fi
  done
}
key=$({
  pwd
  printf '%s\n' "$@"
  ls -lL --time-style=full-iso "$home/bin/nvcc" "$home/bin/ptxas" "$home/nvvm/bin/cicc" "$host" 2>&1 || true
  sources "$@" | LC_ALL=C sort -zu | xargs -0 sha256sum 2>&1 || true
} | sha256sum | cut -d' ' -f1)
if [ -n "$output" ] && cp "$known/$key" "$output" 2>/dev/null; then
  touch "$known/$key"
  exit 0
fi
mkdir -p "$known"
said=$(mktemp)
status=0
"$@" >"$said" 2>&1 || status=$?
if [ $status = 0 ] && [ ! -s "$said" ] && [ -f "$output" ]; then
  find "$known" -type f -mtime +30 -delete 2>/dev/null || true
  cp "$output" "$known/$key.$$" && mv "$known/$key.$$" "$known/$key"
fi
cat "$said"
rm "$said"
exit $status
