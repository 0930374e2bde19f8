#!/bin/sh
# In: nothing but this kit and a network; to be run as root, by hand: it takes about half an hour, so it is no
# part of `make test`. Out: a line per step with its seconds, 'N passed, N failed', exit 1 when any failed;
# each step's whole output is in build/fresh/.
# The idea: minimal Debian 12 roots with git, make and certificates in them, in which people type what the
# README says.
#   fresh-machine.sh [CASE ..]      all of: root user handout-root handout-user no-network carried gradescope;
#                                   ROOTS=FOLDER for the roots (1 to 4 GB each; /var/tmp/tma-lab-roots)
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$house/build/fresh
roots=${ROOTS:-/var/tmp/tma-lab-roots}
mkdir -p "$work"
[ "$(id -u)" = 0 ] || { echo 'fresh-machine: needs root, to make machines' >&2; exit 2; }
# shellcheck source=grader/tests/house/fresh-root.sh
. grader/tests/house/fresh-root.sh
[ $# -gt 0 ] || set -- root user handout-root handout-user no-network carried gradescope
passed=0
failed=0
network=yes
namespaces=yes
settings=

# Sets $cpu to the seconds of processor that everything started here has used; not in a subshell, which has
# used none.
read_cpu() {
  times >"$work/times.$$"
  cpu=$(awk 'NR == 2 {
      for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] }
      printf "%d", sum
    }' "$work/times.$$")
}

# step NAME STATUS PATTERN USER FOLDER COMMAND: it ends with that status and says something like that.
step() {
  output=$work/$case-$1
  begun=$(date +%s%N)
  read_cpu
  cpu_before=$cpu
  status=0
  enter "$4" "$5" "$6" >"$output" 2>&1 || status=$?
  seconds=$((($(date +%s%N) - begun) / 100000000))
  read_cpu
  if [ "$status" = "$2" ] && { [ -z "$3" ] || grep -qE -- "$3" "$output"; }; then
    passed=$((passed + 1)) verdict=ok
  else
    failed=$((failed + 1)) verdict="FAILED: exit $status, expected $2 and: $3"
  fi
  printf '%-14s %-20s %5d.%d s, %4d s of processor, load %5s  %s\n' "$case" \
    "$1" $((seconds / 10)) $((seconds % 10)) \
    $((cpu - cpu_before)) "$(cut -d' ' -f1 /proc/loadavg)" "$verdict"
}

all_pass='All exercises pass'
not_started='1-bulk-copy-1d  *not started'
green=', 0 failed$'

# What README.md says, then the same without a network and in odd surroundings. $1 types, in $2.
try_kit() {
  step clone 0 '' "$1" "$2" 'git clone -q /srv/kit.git kit'
  step solutions 0 "$all_pass" "$1" "$2/kit" 'make lab9 SUBMISSION=solutions/lab9'
  step skeletons 2 "$not_started" "$1" "$2/kit" 'make lab9'
  step docs 0 'The docs are in' "$1" "$2/kit" 'make docs'
  step tests 0 "$green" "$1" "$2/kit" 'make test'
  step again 0 "$all_pass" "$1" "$2/kit" 'make lab9 SUBMISSION=solutions/lab9'
  step walls 0 'all walls hold' "$1" "$2/kit" 'build/bin/grader doctor'
  try_odd_machines "$@"
  network=no
  step without-network 0 "$all_pass" "$1" "$2/kit" 'make clean; make lab9 SUBMISSION=solutions/lab9'
  network=yes
  try_odd_places "$@"
}

# An administrator has switched off user namespaces, which root does not need.
try_odd_machines() {
  [ "$1" != root ] || return 0
  namespaces=no
  rule="can't keep a stranger's program behind walls"
  step no-walls-student 0 "$all_pass" "$1" "$2/kit" 'make lab9 SUBMISSION=solutions/lab9'
  step no-walls-stranger 2 "$rule" "$1" "$2/kit" 'build/bin/grader grade lab9 --submission solutions/lab9'
  step no-walls-trusted 0 passes "$1" "$2/kit" \
    'build/bin/grader grade lab9 --submission solutions/lab9 --trusted'
  step no-walls-doctor 0 'as root: sysctl -w user.max_user_namespaces' "$1" "$2/kit" 'build/bin/grader doctor'
  namespaces=yes
}

try_odd_places() {
  place="$2/Übung 9 (neu)/kit"
  step odd-path 0 "$all_pass" "$1" "$2" \
    "mkdir -p '${place%/kit}' && mv kit '$place' && cd '$place' && make clean &&
      make lab9 SUBMISSION=solutions/lab9"
  step no-terminal 2 "$not_started" "$1" "$place" 'unset TERM; LC_ALL=C make lab9'
  step utf8 2 "$not_started" "$1" "$place" 'LC_ALL=C.UTF-8 make lab9'
  step no-home 0 "$all_pass" "$1" "$place" \
    'rm -rf build/checks; HOME=/proc make lab9 SUBMISSION=solutions/lab9'
}

# The students' archive, on a machine of its own, by its own README.
try_handout() {
  sh grader/setup/handout.sh lab9 "$work/tma-lab9.tar.gz" >/dev/null
  install -m 644 "$work/tma-lab9.tar.gz" "$root$2/tma-lab9.tar.gz"
  step unpack 0 '' "$1" "$2" 'tar xzf tma-lab9.tar.gz'
  step skeletons 2 "$not_started" "$1" "$2/tma-lab9" 'make lab9'
  step hint 0 hint "$1" "$2/tma-lab9" 'make hint-1'
  step explain 0 async_proxy_fence "$1" "$2/tma-lab9" 'make explain RULE=proxy-fence'
  step handin 0 'Hand in ' "$1" "$2/tma-lab9" 'make handin'
  step docs 0 'The docs are in' "$1" "$2/tma-lab9" 'make docs'
  step again 2 "$not_started" "$1" "$2/tma-lab9" 'make lab9'
}

# A submission that prints the hidden cases, if it can, and who it is.
make_spy() {
  cat >"$root/autograder/submission/1-bulk-copy-1d.cu" <<'END'
#include "lab9.h"
#include <cstdlib>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *, size_t, cudaStream_t) {
  system("id; cat /autograder/kit/grader/hidden/lab9/1-bulk-copy-1d.cfg; "
         "tar -xzOf /autograder/source/kit.tar.gz grader/hidden/lab9/1-bulk-copy-1d.cfg");
  return cudaSuccess;
}
END
}

# Gradescope's autograder as Gradescope handles it: a container's root without the right to make namespaces;
# what comes out is validated.
try_gradescope() {
  sh grader/setup/gradescope-zip.sh lab9 "$work/autograder.zip" >/dev/null
  mkdir -p "$root/autograder/source" "$root/autograder/submission" "$work/reports"
  rm -f "$work"/reports/*
  unzip -q "$work/autograder.zip" -d "$root/autograder/source"
  step setup 0 '' root / \
    'cp /autograder/source/run_autograder /autograder/ && chmod +x /autograder/run_autograder &&
      apt-get update && bash /autograder/source/setup.sh'
  network=no
  for name in solutions skeletons nothing spy; do
    rm -rf "$root"/autograder/submission/* "$root/autograder/results"
    case $name in solutions) cp solutions/lab9/*.cu "$root/autograder/submission/" ;; skeletons) cp \
      labs/lab9/*.cu "$root/autograder/submission/" ;; spy) make_spy ;; esac
    namespaces=no
    step "$name" 0 '' root /autograder 'setpriv --bounding-set=-sys_admin ./run_autograder'
    namespaces=yes
    cp "$root/autograder/results/results.json" "$work/reports/gradescope-$name.json"
  done
  network=yes
  cp "$work"/reports/*.json "$root/srv/"
  step no-secrets 1 '' root /srv 'grep -e sizes -e uid=0 gradescope-spy.json'
  step spied 0 'Permission denied' root /srv 'cat gradescope-spy.json'
  step full-marks 0 '"score": 80' root /srv 'cat gradescope-solutions.json'
  step no-marks 0 '"score": 0' root /srv 'cat gradescope-skeletons.json'
  sh grader/tests/formats/consume.sh "$work/reports" || failed=$((failed + 1))
}

try_no_network() {
  network=no
  step as-root 2 'the network cannot be reached' root /root \
    'git clone -q /srv/kit.git kit && cd kit && make lab9'
  chown -R 1000:1000 "$root/srv/kit.git"
  step as-user 2 "ask the machine's administrator" student /home/student \
    'git clone -q /srv/kit.git kit && cd kit && make lab9'
  network=yes
}

# A kit filled on a machine with a network, carried to one without.
try_carried() {
  step make-kit 0 'carry it along' root /root 'git clone -q /srv/kit.git kit && cd kit && make kit'
  filled=$root
  new_root carried-to 1000
  network=no
  step clone 0 '' student /home/student 'git clone -q /srv/kit.git kit'
  cp -a "$filled/root/kit/.kit" "$root/home/student/kit/" && chown -R 1000:1000 "$root/home/student/kit/.kit"
  rm -rf "$filled"
  step without-network 0 "$all_pass" student /home/student/kit 'make lab9 SUBMISSION=solutions/lab9'
  step walls 0 'all walls hold' student /home/student/kit 'build/bin/grader doctor'
  network=yes
}

make_base
for case in "$@"; do
  case $case in
  root) new_root "$case" 0 && try_kit root /root ;;
  user) new_root "$case" 1000 && try_kit student /home/student ;;
  handout-root) new_root "$case" 0 && try_handout root /root ;;
  handout-user) new_root "$case" 1000 && try_handout student /home/student ;;
  no-network) new_root "$case" 0 && try_no_network ;;
  carried) new_root "$case" 0 && try_carried ;;
  gradescope) new_root "$case" 0 && try_gradescope ;;
  *) echo "fresh-machine: $case: root, user, handout-root, handout-user, no-network, carried or gradescope" \
    >&2; exit 2 ;;
  esac
  [ -n "${KEEP-}" ] || rm -rf "$root"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
