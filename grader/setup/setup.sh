#!/bin/sh
# In: a level (student, builder, docs, developer, fuzz or kit) and the makefile to write; CC, NVCC, CUDA_HOME
# where the caller chose them.
# Out: the makefile with the places of the tools, and the same as a C header beside it; exit 2 with the one
# command to run when one can't be had.
# The idea: look for files, which takes milliseconds, and fetch only what isn't there: as root with the
# system's package manager, else unpacked into .kit/, which needs no rights and can be carried to a machine
# without a network.
set -eu
umask 022 # where root sets up, submissions run as users of their own, who need a compiler as well

here=$(dirname "$0")
level=$1
makefile=${2:-build/setup.mk}
kit=${KIT:-$PWD/.kit}
triple=$(uname -m)-linux-gnu
log=$kit/setup.log

# nvcc hands paths on to shells, linkers split them at commas and colons, and make and C have quotes of their
# own.
newline='
'
case $PWD in
*[\'\"\\\$\`\#\;\&\|\<\>\*\?,:%]* | *"$newline"*)
  printf 'Set-up: the kit lies in %s: compilers stumble over some marks in a path (%s). %s\n' \
    "$PWD" "' \" \\ \$ \` # ; & | < > * ? , : %" \
    'Move it to a folder without them; blanks and umlauts are fine.' >&2
  exit 2
  ;;
esac

# shellcheck source=grader/setup/find.sh
. "$here/find.sh"
# shellcheck source=grader/setup/fetch.sh
. "$here/fetch.sh"

# One line each: the level that needs it, how to find it, what to find, the package that has it, what it is
# for. A level has all that the ones above it have.
table="
student   command ${CC:-gcc}  gcc             compiles the grader and the virtual Hopper
student   command g++         g++             compiles the host half of CUDA programs for nvcc
student   header  stdlib.h    libc6-dev       the C library's headers
student   header  jansson.h   libjansson-dev  reads and writes JSON reports
student   header  libconfig.h libconfig-dev   reads lab.cfg, with line numbers in its errors
student   header  archive.h   libarchive-dev  unpacks submissions
student   header  yaml.h      libyaml-dev     reads who is behind Gradescope's submissions
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
    */student | builder/builder | docs/docs | \
      developer/builder | developer/docs | developer/developer | fuzz/*)
      [ -z "$kind" ] || "find_$kind" "$name" >/dev/null || echo "$package $kind $name $purpose"
      ;;
    esac
  done <<END
$table
END
}

# Sets $lines to the lines of the missing packages, and $nvcc to the CUDA compiler or to nothing.
look_around() {
  lines=$(missing_lines)
  look_for_nvcc
}
look_for_nvcc() {
  status=0
  nvcc=$(find_nvcc) || status=$?
  [ "$status" -lt 2 ] || exit 2
}

say_missing() {
  echo 'Set-up: missing here are'
  [ -z "$lines" ] || echo "$lines" | while read -r package _ name purpose; do
    printf '  %-16s %s (package %s)\n' "$name" "$purpose" "$package"
  done
  [ -n "$nvcc" ] || echo '  nvcc             12.4 or later, the CUDA compiler, compiles the exercises'
}

packages_of() { echo "$1" | cut -d' ' -f1 | sort -u | tr '\n' ' ' | sed 's/ $//'; }

# Prints the commands that install by hand what is still missing.
say_remedy() {
  if [ -n "$lines" ] && ! command -v apt-get >/dev/null; then
    echo "  install the equivalents of: $(packages_of "$lines")"
  elif [ -n "$lines" ]; then
    echo "  apt-get update && apt-get install -y $(packages_of "$lines")"
  fi
  [ -n "$nvcc" ] || echo '  install the CUDA Toolkit 12.4 or later (developer.nvidia.com/cuda-downloads)'
}

# give_up REASON [REMEDY]: says what is missing and what to type, and exits with 2.
give_up() {
  unreachable='Temporary failure resolving|Could not resolve|Network is unreachable|Could not connect'
  unreachable="$unreachable|Failed to establish a new connection|timed out"
  end=$(tail -n 40 "$log" 2>/dev/null | cut -c 1-160 || true)
  offline=$(echo "$end" | grep -E "$unreachable" | tail -n 1 || true)
  full=$(echo "$end" | grep -E 'No space left on device|not have enough free space' | tail -n 1 || true)
  look_around
  {
    why=${full:+: the disk is full}${offline:+: the network cannot be reached}$1
    echo "Set-up can't get what is missing by itself$why."
    if [ -n "$full" ]; then
      echo 'Make room, then make again: it goes on from there. What is free:'
      df -h "$kit" /var 2>/dev/null | sed 's/^/  /' | uniq || true
    else
      echo "Run this, as root, or ask the machine's administrator to, then make again:"
      if [ -n "${2-}" ]; then echo "  $2"; else say_remedy; fi
    fi
    if [ -n "$offline" ]; then
      echo 'A machine that has no network gets it from one of the same system that has:' \
        'make kit there, and carry the folder .kit/ here.'
      end=$offline
    fi
    if [ -n "$end" ]; then
      echo "The end of what was tried ($log):"
      echo "$end" | tail -n 5 | sed 's/^/  /'
    fi
  } >&2
  exit 2
}

# need_write PLACE [file]: checks that a folder (made if need be) or that file can be written; otherwise says
# why, and exits with 2.
need_write() {
  reason=$(
    exec 2>&1
    if [ "${2-}" = file ]; then
      true >>"$1"
    else
      mkdir -p "$1" && true >"$1/.writable" && rm -f "$1/.writable"
    fi
  ) || {
    case $1 in /*) place=$1 ;; *) place=$PWD/$1 ;; esac
    echo "Set-up can't write $place: ${reason##*: }."
    echo 'Make it yours (chown), make room, or use a copy of the kit that is yours and can be written.'
    exit 2
  } >&2
}

# need_room FOLDER MB: exits with 2 if the disk has less room. Set-up asks first, because apt-get tries a full
# disk again and again for a quarter of an hour.
need_room() {
  room=$(df -Pm "$1" 2>/dev/null | tail -n 1 | tr -s ' ' | cut -d' ' -f4)
  [ "${room:-$2}" -ge "$2" ] || {
    echo "Set-up needs $2 MB for what is missing, and $1 has $room MB left." \
      "Make room, or use a copy of the kit on another disk, then make again." >&2
    exit 2
  }
}

# Two set-ups of one kit at the same time: the second waits, and then finds what the first has fetched. The
# processes that a killed set-up has left hold the lock until they end.
take_turn() {
  need_write "$kit"
  [ ! -e "$log" ] || need_write "$log" file
  command -v flock >/dev/null || return 0
  exec 9>"$kit/lock"
  flock -n 9 || {
    echo 'Set-up: another one is at work in this kit; waiting for it'
    flock 9
  }
}

get_packages() {
  [ -n "$lines" ] || return 0
  case "$lines" in *clang-format-14* | *clang-tidy-14*) get_linters ;; esac
  lines=$(missing_lines)
  [ -n "$lines" ] || return 0
  packages=$(packages_of "$lines")
  if ! command -v apt-get >/dev/null; then
    give_up ': this is no Debian or Ubuntu'
  elif [ "$(id -u)" = 0 ]; then
    echo "Set-up: installing Debian packages: $packages"
    install_packages "$packages" || give_up ''
  else
    echo "Set-up: unpacking into .kit/ (no root here): $packages"
    unpack_missing "$lines" || give_up ''
  fi
  lines=$(missing_lines)
  if [ -n "$lines" ]; then
    say_missing >&2
    give_up ', even now'
  fi
}

# Another version of these tools would lay out and lint in another way. If the distribution no longer has
# version 14, PyPI has it.
get_linters() {
  command -v apt-get >/dev/null || return 0
  for linter in clang-format clang-tidy; do
    ! find_command "$linter-14" >/dev/null || continue
    status=0
    has_package "$linter-14" || status=$?
    [ "$status" = 1 ] || continue
    echo "Set-up: fetching $linter 14 from PyPI into .kit/"
    install_linter "$linter" || give_up ''
  done
}

get_nvcc() {
  [ -z "$nvcc" ] || return 0
  echo "Set-up: fetching nvcc from PyPI into .kit/ (100 MB, 270 MB unpacked): $cuda_packages"
  install_cuda || give_up ''
  look_for_nvcc
  [ -n "$nvcc" ] || give_up ': what PyPI gave holds no working nvcc'
}

# Prints a word for the shell of a recipe, in quotes if it has blanks or the like.
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
    # The libraries that the kit's libraries need are outside the compiler's system root.
    set -- "-Wl,-rpath,$kit/tools/run"
    for folder in "$libraries/usr/lib/$triple" "$libraries/lib/$triple" "/usr/lib/$triple" "/lib/$triple"; do
      set -- "$@" "-Wl,-rpath-link,$folder"
    done
    echo "KIT_LDFLAGS +=$(words "$@")"
    echo "KIT_TIDY_FLAGS :=$(words "--sysroot=$kit/tools")"
  fi
}

# The same places for the grader, which compiles submissions and puts them into a sandbox.
write_header() {
  echo '// Written by grader/setup/setup.sh: where the tools are on this machine.'
  echo "#define SETUP_HOUSE \"$PWD\""
  echo "#define SETUP_KIT \"$kit\""
  echo "#define SETUP_NVCC \"$nvcc\""
  echo "#define SETUP_CUDA_HOME \"$cuda_home\""
  echo "#define SETUP_CXX \"$compiler\""
  echo "#define SETUP_BUBBLEWRAP \"$(find_command bwrap)\""
}

# write_if_changed FILE FUNCTION: writes the file only if its text has changed, so that nothing is built again
# in vain.
write_if_changed() {
  "$2" >"$1.$$"
  if cmp -s "$1.$$" "$1"; then rm "$1.$$"; else mv "$1.$$" "$1"; fi
}

# A Slurm cluster for the tests. Its daemons need root and the system's folders, so it can't be unpacked into
# .kit/. Tried only once.
wants_cluster() {
  [ "$level" = developer ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  [ ! -e "$kit/no-slurm" ] && ! { command -v slurmctld && command -v munged; } >/dev/null
}
get_cluster() {
  wants_cluster || return 0
  echo 'Set-up: installing Slurm for the tests (slurm-wlm, munge: 14 MB)'
  install_packages 'slurm-wlm munge' || { echo 'Set-up: no Slurm can be had here: its test is left out' &&
    : >"$kit/no-slurm"; }
}

get_all() {
  take_turn
  look_around
  if [ -e "$kit/unpacking" ]; then
    echo 'Set-up: the last one was broken off; it is taken up again'
    rm -rf "$kit/libraries" "$kit/tools"
    look_around
  fi
  if [ -n "$lines" ] || [ -z "$nvcc" ]; then say_missing; fi
  : >"$log"
  [ -n "$nvcc" ] || need_room "$kit" 400
  [ -z "$lines" ] || need_room "$(if [ "$(id -u)" = 0 ]; then echo /var; else echo "$kit"; fi)" 100
  get_packages
  get_cluster
  look_for_nvcc # by now there is a compiler to try it with
  get_nvcc
  rm -rf "$kit/apt" "$kit/debs"
}

# Fills .kit/ with everything that a student needs on a machine with nothing installed.
make_kit() {
  level=student
  take_turn
  : >"$log"
  need_room "$kit" 800
  lines=$(echo "$table" | awk '$1 == "student" { print $4, $2, $3 }')
  rm -rf "$kit/libraries" "$kit/tools"
  unpack_kit "$lines" || give_up '' 'apt-get update'
  [ -x "$kit/cuda/bin/nvcc" ] || install_cuda || give_up '' 'apt-get install -y python3-pip'
  rm -rf "$kit/apt" "$kit/debs"
  echo "Libraries and compilers are in .kit/ ($(du -sh "$kit" |
    cut -f1)): carry it along, into a kit on a machine of the same system, and make uses it."
}

if [ "$level" = kit ]; then
  make_kit
  exit 0
fi
look_around
if [ -n "$lines" ] || [ -z "$nvcc" ] || [ -e "$kit/unpacking" ] || wants_cluster; then get_all; fi
cuda_home=$(cuda_home_of "$nvcc")
# If the name is a link, as in .kit/, take the program itself: the sandbox shows the folders around it.
if [ -x "$cuda_home/bin/nvcc" ]; then nvcc=$cuda_home/bin/nvcc; fi
compiler=$(find_command g++)
[ -w "$(dirname "$makefile")" ] || need_write "$(dirname "$makefile")"
write_if_changed "${makefile%.mk}.h" write_header
write_if_changed "$makefile" write_makefile
