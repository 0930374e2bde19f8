#!/bin/sh
# In: a level (student, builder, docs, developer, fuzz or kit) and the makefile to write; CC, NVCC, CUDA_HOME where the caller chose them.
# Out: the makefile with the places of the tools, and the same as a C header beside it; exit 2 with the one command to run when one can't be had.
# The idea: look for files, which takes milliseconds, and fetch only what isn't there: as root with the system's
# package manager, else unpacked into .kit/, which needs no rights and can be carried to a machine without a network.
set -eu

here=$(dirname "$0")
level=$1
makefile=${2:-build/setup.mk}
kit=${KIT:-$PWD/.kit}
triple=$(uname -m)-linux-gnu
log=$kit/setup.log

# shellcheck source=grader/setup/find.sh
. "$here/find.sh"
# shellcheck source=grader/setup/fetch.sh
. "$here/fetch.sh"

# One line each: the level that needs it, how to find it, what to find, the package that has it, what it is for.
# A level has all that the ones above it have.
table="
student   command ${CC:-gcc}  gcc             compiles the grader and the virtual Hopper
student   command g++         g++             compiles the host half of CUDA programs for nvcc
student   header  stdlib.h    libc6-dev       the C library's headers
student   header  jansson.h   libjansson-dev  reads and writes JSON reports
student   header  libconfig.h libconfig-dev   reads lab.cfg, with line numbers in its errors
student   header  archive.h   libarchive-dev  unpacks submissions
student   header  zstd.h      libzstd-dev     reads fat binaries packed with zstd, nvcc's default
student   header  lz4.h       liblz4-dev      reads fat binaries packed with LZ4
student   header  seccomp.h   libseccomp-dev  keeps submitted code from system calls it has no use for
student   command bwrap       bubblewrap      keeps submitted code away from your files
builder   header  cmocka.h    libcmocka-dev   unit tests
developer command clang-format-14 clang-format-14 checks the layout of the code
developer command clang-tidy-14   clang-tidy-14   lints C
developer command cppcheck    cppcheck        lints C, other rules
developer command shellcheck  shellcheck      lints shell scripts
docs      command pandoc      pandoc          renders the docs
docs      command weasyprint  weasyprint      makes the docs' PDF
developer command chromium    chromium        tests the docs' pages as a reader sees them
developer command pdftotext   poppler-utils   reads the docs' PDF for words that stick out
developer command xmllint     libxml2-utils   reads JUnit reports by their schema
developer module  junitparser python3-junitparser reads JUnit reports as tools do that show them
developer module  jsonschema  python3-jsonschema  checks what is written for platforms by their schemas
developer command zip         zip             packs classes for tests, and Gradescope's autograder
developer command unzip       unzip           unpacks that as Gradescope does
fuzz      command clang       clang           compiles the fuzzers
fuzz      library libclang_rt.fuzzer-$(uname -m).a libclang-rt-dev libFuzzer itself
"

# Prints the lines of the table that this level needs and that are not found.
missing_lines() {
  while read -r line_level kind name package purpose; do
    case $level/$line_level in
    */student | builder/builder | docs/docs | developer/builder | developer/docs | developer/developer | fuzz/*)
      [ -z "$kind" ] || "find_$kind" "$name" >/dev/null || echo "$package $kind $name $purpose"
      ;;
    esac
  done <<END
$table
END
}

say_missing() {
  echo 'Set-up: missing here are'
  echo "$1" | while read -r package _ name purpose; do
    printf '  %-16s %s (package %s)\n' "$name" "$purpose" "$package"
  done
}

# Exit 2: what is missing, and what to type.
give_up() {
  unreachable='Temporary failure resolving|Could not resolve|Network is unreachable|Could not connect|Failed to establish a new connection|timed out'
  end=$(tail -n 40 "$log" 2>/dev/null | cut -c 1-160 || true)
  offline=$(echo "$end" | grep -E "$unreachable" | tail -n 1 || true)
  {
    echo "Set-up can't get what is missing by itself${offline:+: the network cannot be reached}$1."
    echo "Run this, as root, or ask the machine's administrator to, then make again:"
    echo "  $2"
    if [ -n "$offline" ]; then
      echo 'A machine that has no network gets it from one that has: make kit there, and carry the folder .kit/ here.'
      end=$offline
    fi
    if [ -n "$end" ]; then
      echo "The end of what was tried ($log):"
      echo "$end" | tail -n 5 | sed 's/^/  /'
    fi
  } >&2
  exit 2
}

# The first step of a set-up starts the log afresh, so that its end is of this one.
start_log() {
  mkdir -p "$kit" 2>/dev/null || true
  if ! [ -w "$kit" ] || { [ -e "$log" ] && ! [ -w "$log" ]; }; then
    echo "Set-up can't write $kit, which belongs to somebody else: make it yours (chown), or use a copy of the kit that is yours." >&2
    exit 2
  fi
  [ -n "${log_started-}" ] || : >"$log"
  log_started=yes
}

get_packages() {
  lines=$(missing_lines)
  [ -z "$lines" ] && return
  say_missing "$lines"
  case "$lines" in *clang-format-14* | *clang-tidy-14*) get_linters ;; esac
  lines=$(missing_lines)
  [ -z "$lines" ] && return
  packages=$(echo "$lines" | cut -d' ' -f1 | sort -u | tr '\n' ' ')
  start_log
  if ! command -v apt-get >/dev/null; then
    give_up ': this is no Debian or Ubuntu' "install the equivalents of: $packages"
  elif [ "$(id -u)" = 0 ]; then
    echo "Set-up: installing Debian packages: $packages"
    install_packages "$packages" || give_up '' "apt-get update && apt-get install -y $packages"
  else
    echo "Set-up: unpacking into .kit/ (no root here): $packages"
    unpack_missing "$lines" || give_up '' "apt-get update && apt-get install -y $packages"
  fi
  lines=$(missing_lines)
  if [ -n "$lines" ]; then
    say_missing "$lines" >&2
    give_up ', even now' "apt-get update && apt-get install -y $packages"
  fi
}

# Another version would lay out and lint otherwise. Where the distribution hasn't got it any more, PyPI has.
get_linters() {
  for linter in clang-format clang-tidy; do
    start_log
    if ! find_command "$linter-14" >/dev/null && ! has_package "$linter-14"; then
      echo "Set-up: fetching $linter 14 from PyPI into .kit/"
      install_linter "$linter" || give_up '' "python3 -m pip install --target .kit/lint $linter==14.0.6"
    fi
  done
}

get_nvcc() {
  find_nvcc >/dev/null && return
  echo 'Set-up: missing here is nvcc 12.4 or later, the CUDA compiler'
  echo "Set-up: fetching it from PyPI into .kit/ (100 MB, 270 MB unpacked): $cuda_packages"
  start_log
  install_cuda || give_up '' "python3 -m pip install --target .kit/cuda-packages $cuda_packages"
  find_nvcc >/dev/null || give_up ': what PyPI gave holds no working nvcc' 'install the CUDA Toolkit 13.0'
}

# A word for a recipe's shell, in quotes where the path has spaces or the like.
word() {
  case $1 in *[!A-Za-z0-9_./+:=,@%-]*) printf "'%s'" "$1" ;; *) printf '%s' "$1" ;; esac
}
tool() { word "$(find_command "$1" || true)"; }
words() { for one in "$@"; do printf ' %s' "$(word "$one")"; done; echo; }

write_makefile() {
  echo '# Written by grader/setup/setup.sh: where the tools are on this machine.'
  echo "CC := $(tool "${CC:-gcc}")"
  echo "NVCC := $nvcc"
  echo "CUDA_HOME := $cuda_home"
  echo "CLANG := $(tool clang)"
  echo "CLANG_FORMAT := $(tool clang-format-14)"
  echo "CLANG_TIDY := $(tool clang-tidy-14)"
  libraries=$kit/libraries
  if [ -d "$libraries" ]; then
    echo "KIT_CPPFLAGS :=$(words -isystem "$libraries/usr/include" -isystem "$libraries/usr/include/$triple")"
    echo "KIT_LDFLAGS :=$(words "-L$libraries/usr/lib/$triple" -Wl,--disable-new-dtags \
      "-Wl,-rpath,$libraries/usr/lib/$triple" "-Wl,-rpath,$libraries/lib/$triple")"
  fi
  if [ -d "$kit/tools" ]; then echo "export PATH := \$(PATH):$kit/tools/bin"; fi
  if [ "$compiler" = "$kit/tools/bin/g++" ]; then
    echo "export NVCC_CCBIN := $compiler"
    # What the kit's libraries need in turn lies outside the compiler's system root.
    set -- "-Wl,-rpath,$kit/tools/run"
    for folder in "$libraries/usr/lib/$triple" "$libraries/lib/$triple" "/usr/lib/$triple" "/lib/$triple"; do
      set -- "$@" "-Wl,-rpath-link,$folder"
    done
    echo "KIT_LDFLAGS +=$(words "$@")"
    echo "KIT_TIDY_FLAGS :=$(words "--sysroot=$kit/tools")"
  fi
}

# The same for the grader, which compiles submissions and puts them into a sandbox.
write_header() {
  echo '// Written by grader/setup/setup.sh: where the tools are on this machine.'
  echo "#define SETUP_HOUSE \"$PWD\""
  echo "#define SETUP_NVCC \"$nvcc\""
  echo "#define SETUP_CUDA_HOME \"$cuda_home\""
  echo "#define SETUP_CXX \"$compiler\""
  echo "#define SETUP_BUBBLEWRAP \"$(find_command bwrap)\""
}

# write_if_changed FILE FUNCTION: what depends on the file is made anew only when it says something new.
write_if_changed() {
  "$2" >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

if [ "$level" = kit ]; then
  start_log
  unpack_kit "$(echo "$table" | grep -w header | tr -s ' ' | cut -d' ' -f4 | grep -v libc6)" ||
    give_up '' "apt-get update, as root"
  rm -rf "$kit/apt" "$kit/debs"
  echo "The libraries are in .kit/libraries ($(du -sh "$kit/libraries" | cut -f1)): carry .kit/ along, and make uses it."
  exit 0
fi
# A cluster for the tests: its daemons want root and the system's folders, so there is no other way to have it. Tried once.
get_cluster() {
  [ "$level" = developer ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
  if command -v slurmctld >/dev/null && command -v munged >/dev/null || [ -e "$kit/no-slurm" ]; then return 0; fi
  echo 'Set-up: installing Slurm for the tests (slurm-wlm, munge: 14 MB)'
  start_log
  install_packages 'slurm-wlm munge' || { echo 'Set-up: no Slurm can be had here: its test is left out' && : >"$kit/no-slurm"; }
}

if [ -e "$kit/unpacking" ]; then
  echo 'Set-up: the last one was broken off; it is taken up again'
  rm -rf "$kit/libraries" "$kit/tools"
fi
get_packages
get_cluster
get_nvcc
rm -rf "$kit/apt" "$kit/debs"
nvcc=$(find_nvcc)
cuda_home=$(cuda_home_of "$nvcc")
# Where the name is a link, as in .kit/, the program itself: the sandbox shows it with all that lies around it.
if [ -x "$cuda_home/bin/nvcc" ]; then nvcc=$cuda_home/bin/nvcc; fi
compiler=$(find_command g++)
mkdir -p "$(dirname "$makefile")"
write_if_changed "${makefile%.mk}.h" write_header
write_if_changed "$makefile" write_makefile
