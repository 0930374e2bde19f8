# Finds programs, headers, libraries and nvcc: on the system first, then in .kit/. Each function prints the place it
# found, or returns 1. Needs $kit and $triple; starts no process but nvcc itself, so that set-up costs nothing.
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

# The first nvcc of 12.4 or later among what the caller chose, the PATH, the usual places and .kit/.
# A choice of the caller that doesn't work is an error of theirs: nothing else is tried.
find_nvcc() {
  if [ -n "${NVCC:-}" ]; then
    command -v "$NVCC" && return
    echo "NVCC=$NVCC: no such program" >&2
    exit 2
  fi
  if [ -n "${CUDA_HOME:-}" ] && [ -x "$CUDA_HOME/bin/nvcc" ]; then
    echo "$CUDA_HOME/bin/nvcc"
    return
  fi
  for candidate in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc "$kit/cuda/bin/nvcc"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ] && nvcc_is_recent "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  return 1
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
