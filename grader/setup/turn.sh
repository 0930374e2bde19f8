#!/bin/sh
# In: a lock file and a command. Out: the command's exit status.
# The idea: two makes of one kit take turns building. Otherwise one would read what the other has half
# written. Set-up has a lock of its own.
#   turn.sh LOCK COMMAND ..
set -eu
lock=$1
shift
command -v flock >/dev/null || exec "$@"
exec 9>"$lock"
flock -n 9 || {
  echo 'make: another one is building in this kit; waiting for it'
  flock 9
}
"$@" 9>&-
