# Finds programs, headers, libraries and nvcc: on the system first, then in .kit/. Each function prints the
# place it found, or returns 1. Needs $kit and $triple; starts no process but nvcc itself, so that set-up
# costs nothing.
# shellcheck shell=sh disable=SC2154

find_command() {
  command -v "$1" && return
  [ -x "$kit/tools/bin/$1" ] && echo "$kit/tools/bin/$1"
}

find_in_folders() {
  wanted_file=$1
  shift
  for folder in "$@"; do
    if [ -e "$folder/$wanted_file" ]; then
      echo "$folder/$wanted_file"
      return
    fi
  done
  return 1
}

find_header() {
  # CPATH and its like are colon-separated lists of folders.
  old_ifs=$IFS
  IFS=:
  # shellcheck disable=SC2086
  set -- "$1" ${CPATH:-} ${C_INCLUDE_PATH:-}
  IFS=$old_ifs
  find_in_folders "$@" /usr/include /usr/local/include "/usr/include/$triple" \
    "$kit/libraries/usr/include" "$kit/libraries/usr/include/$triple" "$kit/tools/usr/include"
}

find_library() {
  find_in_folders "$1" "/usr/lib/$triple" /usr/lib/llvm-*/lib/clang/*/lib/linux \
    "$kit/libraries/usr/lib/$triple" "$kit"/tools/usr/lib/llvm-*/lib/clang/*/lib/linux
}

# A module of Debian's Python.
find_module() {
  find_in_folders "$1/__init__.py" /usr/lib/python3/dist-packages "$kit/tools/usr/lib/python3/dist-packages"
}

# Prints the first nvcc of 12.4 or later that can compile, among the caller's choice, the PATH, the usual
# places and .kit/; returns 1 if there is none. A choice of the caller that doesn't work is the caller's
# error: it returns 2, and nothing else is tried.
find_nvcc() {
  if [ -n "${NVCC:-}" ]; then
    candidate=$(command -v "$NVCC") || refuse "NVCC=$NVCC: no such program" || return 2
    nvcc_is_recent "$candidate" || refuse "NVCC=$NVCC: no nvcc 12.4 or later that runs" || return 2
    echo "$candidate"
    return
  fi
  if [ -n "${CUDA_HOME:-}" ]; then
    nvcc_is_recent "$CUDA_HOME/bin/nvcc" ||
      refuse "CUDA_HOME=$CUDA_HOME: there is no nvcc 12.4 or later in its bin/ that runs" || return 2
    echo "$CUDA_HOME/bin/nvcc"
    return
  fi
  for candidate in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc \
    "$kit/cuda/bin/nvcc"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ] && nvcc_is_recent "$candidate" &&
      nvcc_compiles "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

refuse() {
  echo "$1" >&2
  return 1
}

# An incomplete toolkit, or one whose host compiler is too new, prints its version but can't compile. An nvcc
# that was accepted or refused once is not tried again before `make clean`. Without a host compiler nothing is
# tried yet.
nvcc_compiles() {
  taken=$(sed -n 's/^NVCC := //p' "${makefile-}" 2>/dev/null || true)
  if [ "$taken" = "$1" ] || [ "$taken" = "$(readlink -f "$1")" ]; then return; fi
  if grep -qsFx -- "$1" "$makefile.refused"; then return 1; fi
  host=$(find_command g++) && probe=$(mktemp -d) || return 0
  echo '__global__ void probe() {}' >"$probe/probe.cu"
  compiled=0
  NVCC_CCBIN=${NVCC_CCBIN:-$host} "$1" -std=c++17 -arch=sm_90 -c -o "$probe/probe.o" "$probe/probe.cu" \
    >"$probe/output" 2>&1 || compiled=$?
  if [ "$compiled" != 0 ]; then
    echo "Set-up: $1 is left alone: it can't compile an empty kernel: $(grep -v '^$' "$probe/output" |
      head -n 1 | cut -c 1-200)" >&2
    mkdir -p "$(dirname "$makefile")" && echo "$1" >>"$makefile.refused"
  fi
  rm -rf "$probe"
  return "$compiled"
}

nvcc_is_recent() {
  version=$("$1" --version 2>/dev/null) || return 1
  version=${version##*release }
  version=${version%%,*}
  major=${version%%.*}
  minor=${version#*.}
  [ "$major" -gt 12 ] 2>/dev/null || { [ "$major" = 12 ] && [ "$minor" -ge 4 ]; }
}

# The folder above bin/, whose include/ has cuda.h. A packaged nvcc may be a link or a script elsewhere.
cuda_home_of() {
  dirname "$(dirname "$(readlink -f "$1")")"
}
