#!/bin/sh
# In: a test's command, started by root. Out: its exit status and output, run as an ordinary user in a copy of
# the kit.
# The idea: what root may read and do hides mistakes, so a test that asks who runs it is run as both.
#   as-user.sh COMMAND ..
#   as-user.sh --possible      exit 0 if such a user could compile anything here
set -eu
cd "$(dirname "$0")/../.."
user='setpriv --reuid 65534 --regid 65534 --clear-groups'
[ "$(id -u)" = 0 ] || { echo 'as-user.sh: only root can become another user' >&2; exit 2; }
if [ "$1" = --possible ]; then
  # A compiler below root's own folders is out of reach for everybody else.
  # shellcheck disable=SC2086 # words
  exec $user test -x "$(sed -n 's/^NVCC := //p' build/setup.mk)"
fi

# Not below TMPDIR, because the other user may not be able to enter that.
work=$(mktemp -d /tmp/as-user-XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
kit=$work/kit
mkdir -p "$kit/build" "$work/home"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$kit" 2>/dev/null || true
for part in bin lib runner setup.mk setup.h; do cp -a "build/$part" "$kit/build/"; done
case $1 in build/*) cp --parents "$1" "$kit" ;; esac
chmod 755 "$work"
chown -R 65534:65534 "$work/home" "$kit"
cd "$kit"
# shellcheck disable=SC2086 # words
env -u TMPDIR HOME="$work/home" USER=nobody LOGNAME=nobody $user "$@"
