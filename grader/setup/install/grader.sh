#!/bin/sh
# grader [--kit DIR] COMMAND ..
# In: a command line of grader(1). Out: what the kit's own grader makes of it.
# The idea: a grader belongs to its kit, with that kit's labs and cases. This command, which `make install`
# puts beside vhopper, finds the kit: --kit, $GRADER_KIT, or the current folder and those above it.
set -eu

fail() {
  printf 'grader: %s\n' "$1" >&2
  exit 2
}

is_kit() {
  [ -d "$1/labs" ] && [ -d "$1/grader" ] && [ -e "$1/Makefile" ]
}

kit=${GRADER_KIT:-}
case ${1:-} in
--kit)
  [ $# -ge 2 ] || fail '--kit needs a folder'
  kit=$2
  shift 2
  ;;
--kit=*)
  kit=${1#--kit=}
  shift
  ;;
esac
if [ -n "$kit" ]; then
  is_kit "$kit" || fail "$kit is no TMA Lab Kit: it lacks labs, grader or Makefile"
else
  kit=$PWD
  while [ "$kit" != / ] && ! is_kit "$kit"; do
    kit=$(dirname "$kit")
  done
  is_kit "$kit" || fail "$PWD is not in a TMA Lab Kit, which has the labs and their cases.
  Change into one, or name it: grader --kit DIR .., or GRADER_KIT=DIR in the environment.
  Kernels of your own need no kit: vhopper run -- PROGRAM"
fi
[ -x "$kit/build/bin/grader" ] || fail "$kit is not built yet; this builds it: make -C $kit lab8"
exec "$kit/build/bin/grader" "$@"
