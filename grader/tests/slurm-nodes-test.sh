#!/bin/sh
# A cluster of two nodes on this machine, each a slurmd of its own. In: a class, graded by `grader batch
# --slurm`, of which one node dies in the middle and stays dead. Out: exit 0 if the other node grades the rest
# without anybody's help but Slurm's, and what was graded before stays as it was. Needs root and Debian's
# slurm-wlm and munge.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d /tmp/two-nodes-XXXXXX)
host=$(hostname -s)
port=$((10000 + $$ % 5000 * 4)) # no process beside this one has these four
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

pid=
finish() {
  [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
  for daemon in slurmd-one slurmd-two slurmctld munged; do
    [ ! -s "$work/$daemon.pid" ] || kill "$(cat "$work/$daemon.pid")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM PIPE
fail() {
  echo "$1"
  for log in "$work/said" "$work"/*.log; do
    [ ! -e "$log" ] || { echo "-- $log"; tail -n 15 "$log"; }
  done
  exit 1
}
# wait_for WHAT CONDITION
wait_for() {
  tries=0
  until eval "$2" || [ $tries = 3000 ]; do
    tries=$((tries + 1))
    sleep 0.2
  done
  [ $tries -lt 3000 ] || fail "waited too long for $1"
}

mkdir "$work/state"
chmod 755 "$work"
dd if=/dev/urandom of="$work/munge.key" bs=64 count=1 2>/dev/null
chmod 600 "$work/munge.key"
munged --force --socket="$work/munge.socket" --key-file="$work/munge.key" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/said" 2>&1 ||
  fail 'munged does not start'
# The configuration of the manual, with two nodes, and places and ports of ours.
sed -n '/^    ClusterName=/,/^    PartitionName=/p' docs/instructor/slurm.md |
  sed 's,^    ,,; /^SlurmctldHost=\|^StateSaveLocation=\|^SlurmdSpoolDir=\|^NodeName=/d' >"$SLURM_CONF"
cat >>"$SLURM_CONF" <<END
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 State=UNKNOWN
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 State=UNKNOWN
END
slurmctld -c >"$work/said" 2>&1 || fail 'slurmctld does not start'
for node in one two; do slurmd -N $node >"$work/said" 2>&1 || fail "slurmd $node does not start"; done
# shellcheck disable=SC2016
wait_for 'two idle nodes' '[ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = 2 ]'

for name in ann bob cyd dee eve fay; do
  mkdir -p "$work/class/$name"
  cp solutions/lab9/1-bulk-copy-1d.cu "$work/class/$name/"
  echo "// $name" >>"$work/class/$name/1-bulk-copy-1d.cu"
done
build/bin/grader batch lab9/1 "$work/class" --device virtual --seed 7 --out "$work/grades" --slurm --chunk 1 \
  >"$work/said" 2>&1 &
pid=$!
# shellcheck disable=SC2016
wait_for 'the first result' '[ -n "$(find "$work/grades/results" -name "*.json" 2>/dev/null)" ]'
first=$(find "$work/grades/results" -name '*.json' | head -n 1)
before=$(grep '"seconds"' "$first")

# kill_below PID: kills the process and those that it has started.
kill_below() {
  for child in $(pgrep -P "$1" || true); do kill_below "$child"; done
  kill -KILL "$1" 2>/dev/null || true
}
# Prints the daemons of the steps that the first node is at work on: each has its log among the node's files.
steps() {
  for step in $(pgrep -f 'slurmstepd: \[' || true); do
    # shellcheck disable=SC2010
    ! ls -l "/proc/$step/fd" 2>/dev/null | grep -q -e "$work/spool-one" -e "$work/slurmd-one" || echo "$step"
  done
}
# The first node dies in the middle of its work, with everything that it runs.
# shellcheck disable=SC2016
wait_for 'work on the first node' '[ -n "$(steps)" ]'
working=$(steps)
kill -KILL "$(cat "$work/slurmd-one.pid")"
for step in $working; do kill_below "$step"; done
scontrol update NodeName=one State=DOWN Reason=failed
# A requeued task would wait for about two minutes; that need not be tested.
while kill -0 "$pid" 2>/dev/null; do
  for task in $(squeue -h -r -t PENDING -o %A 2>/dev/null); do
    scontrol update JobId="$task" StartTime=now 2>/dev/null || true
  done
  sleep 1
done
status=0
wait "$pid" || status=$?
pid=
[ "$status" = 0 ] || fail "with one of two nodes dead, the batch ended with $status, not 0"
grep -q '^6 submissions: 6 passed, 0 fell short, 0 with grader errors' "$work/said" ||
  fail 'with one of two nodes dead, not all are graded'
[ "$before" = "$(grep '"seconds"' "$first")" ] || fail 'what was graded before was graded again'
[ "$(sinfo -h -n one -o %T)" != idle ] || fail 'the dead node has come back, so nothing was tested'
