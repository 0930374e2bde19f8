#!/bin/sh
# Grades a class on a real Slurm: one slurmctld and one slurmd on this machine, with all their files in a
# folder of this test. Out: exit 0 if the job array gives the same grades as a batch without Slurm, and if a
# batch goes on from what a cancelled array left. Needs root and Debian's slurm-wlm and munge.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d /tmp/slurm-test-XXXXXX)
host=$(hostname -s)
port=$((10000 + $$ % 5000 * 4)) # four of its own: two checkouts may test at once
SLURM_CONF=$work/slurm.conf
export SLURM_CONF

pid=
stop_daemons() {
  [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
  for daemon in slurmd slurmctld munged; do
    [ ! -s "$work/$daemon.pid" ] || kill "$(cat "$work/$daemon.pid")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$work"
}
trap stop_daemons EXIT
trap 'exit 1' HUP INT TERM PIPE

fail() {
  echo "$1"
  for log in "$work/said" "$work/slurmctld.log" "$work/slurmd.log" "$work/munged.log" \
    "$work"/cluster/logs/slurm-*; do
    [ ! -e "$log" ] || { echo "-- $log"; tail -n 15 "$log"; }
  done
  exit 1
}

mkdir "$work/state" "$work/spool"
chmod 755 "$work"
dd if=/dev/urandom of="$work/munge.key" bs=64 count=1 2>/dev/null
chmod 600 "$work/munge.key"
munged --force --socket="$work/munge.socket" --key-file="$work/munge.key" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munge.seed" >"$work/said" 2>&1 ||
    fail 'munged does not start'

# The configuration of the manual, with places and ports of ours.
sed -n '/^    ClusterName=/,/^    PartitionName=/p' docs/instructor/slurm.md |
  sed "s,^    ,,; /^SlurmctldHost=\|^StateSaveLocation=\|^SlurmdSpoolDir=/d
    s,^NodeName=HOST CPUs=CORES,NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)," >"$SLURM_CONF"
grep -q '^NodeName=.* State=UNKNOWN$' "$SLURM_CONF" || fail 'docs/instructor/slurm.md has no configuration'
cat >>"$SLURM_CONF" <<END
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
END
slurmctld -c >"$work/said" 2>&1 || fail 'slurmctld does not start'
slurmd >"$work/said" 2>&1 || fail 'slurmd does not start'
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q idle || [ $tries = 2000 ]; do
  tries=$((tries + 1))
  sleep 0.2
done
[ $tries -lt 2000 ] || fail 'the node never became idle'

mkdir -p "$work/class/ann" "$work/class/bob" "$work/class/Cy Dee_5_assignsubmission_file"
cp solutions/lab9/*.cu "$work/class/ann/"
cp labs/lab9/*.cu "$work/class/bob/"
cp solutions/lab9/*.cu "$work/class/Cy Dee_5_assignsubmission_file/"
for name in dee eve; do
  mkdir "$work/class/$name"
  awk -f grader/tests/corpus/mutate.awk grader/tests/mutants/lab9-1-no-fence.mutant \
    solutions/lab9/1-bulk-copy-1d.cu >"$work/class/$name/1-bulk-copy-1d.cu"
done

# wait_for WHAT CONDITION
wait_for() {
  tries=0
  until eval "$2" || [ $tries = 3000 ]; do
    tries=$((tries + 1))
    sleep 0.2
  done
  [ $tries -lt 3000 ] || fail "waited too long for $1"
}

batch() {
  status=0
  timeout 1500 build/bin/grader batch lab9/1 "$work/class" --device virtual --seed 7 "$@" \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "batch $* ended with $status, not 1"
}
batch --out "$work/cluster" --slurm --chunk 2 --sbatch '--partition=grade --time=60'
grep -q "^Slurm's job [0-9]*: 5 submissions in 3 tasks$" "$work/said" || fail 'no job array was made'
grep -q '5 submissions: 2 passed, 3 fell short, 0 with grader errors' "$work/said" ||
  fail 'the array did not grade all'
grep -q '"full_name": "Cy Dee"' "$work/cluster/results/Cy_Dee_5.json" ||
  fail 'whose result it is was lost on the way'
! grep -q -e --jobs "$work/cluster/slurm.sh" || fail 'the nodes are told how many cores this machine has'
batch --out "$work/here"
cmp -s "$work/here/grades.csv" "$work/cluster/grades.csv" || fail 'Slurm gives other grades'
batch --out "$work/cluster" --slurm
grep -q '(5 unchanged since they were graded)' "$work/said" ||
  fail 'the cluster graded again what had not changed'

# One of them anew, in one task of the array; the results of the others keep their bytes. --only is for here.
sums() { (cd "$work/cluster/results" && cksum [!a]*.json); } # all but ann.json
before=$(sums)
time_of_ann=$(grep '"seconds"' "$work/cluster/results/ann.json")
batch --out "$work/cluster" --slurm --chunk 1 --regrade ann
grep -q '(4 unchanged since they were graded)' "$work/said" || fail '--regrade on the cluster: not ann alone'
[ "$time_of_ann" != "$(grep '"seconds"' "$work/cluster/results/ann.json")" ] ||
  fail '--regrade on the cluster: ann has the result of before'
[ "$before" = "$(sums)" ] || fail '--regrade on the cluster: others have another result'
cmp -s "$work/here/grades.csv" "$work/cluster/grades.csv" || fail '--regrade on the cluster: other grades'
status=0
build/bin/grader batch lab9/1 "$work/class" --device virtual --out "$work/cluster" --slurm --only ann \
  >"$work/said" 2>&1 || status=$?
[ "$status" = 2 ] || fail "--only with --slurm ended with $status, not 2"
grep -q -- '--only goes without --slurm' "$work/said" || fail '--only with --slurm is not refused by name'

# The array is cancelled in the middle. Finished results are kept, and the rest is graded later, without Slurm
# as well.
build/bin/grader batch lab9/1 "$work/class" --device virtual --seed 7 --out "$work/cut" --slurm --chunk 1 \
  >"$work/said" 2>&1 &
pid=$!
tries=0
until [ "$(find "$work/cut/results" -name '*.json' 2>/dev/null | wc -l)" -ge 1 ] || [ $tries = 3000 ]; do
  tries=$((tries + 1))
  sleep 0.2
done
scancel -u root
status=0
wait $pid || status=$?
[ "$status" = 2 ] || fail "a cancelled array ended with $status, not 2"
grep -q 'not graded' "$work/cut/grades.csv" || fail 'grades.csv does not say who is not graded'
batch --out "$work/cut"
grep -q 'unchanged since they were graded' "$work/said" || fail 'nothing of the cancelled array was kept'
cmp -s "$work/here/grades.csv" "$work/cut/grades.csv" || fail 'after a cancelled array the grades differ'

# The node fails during the work: its daemon and everything that it runs are killed. Slurm puts the task back
# into the queue, and when the node is back the array goes on by itself. Earlier results stay as they were.
# The controller is restarted meanwhile.
build/bin/grader batch lab9/1 "$work/class" --device virtual --seed 7 --out "$work/failed" --slurm --chunk 5 \
  >"$work/said" 2>&1 &
pid=$!
# shellcheck disable=SC2016
wait_for 'the first result' '[ -n "$(find "$work/failed/results" -name "*.json" 2>/dev/null)" ]'
first=$(find "$work/failed/results" -name '*.json' | head -n 1)
before=$(grep '"seconds"' "$first") # no two gradings take the same time
kill -KILL "$(cat "$work/slurmd.pid")"
for step in $(pgrep -f 'slurmstepd: \['); do
  # Only the processes of this test, not those of another cluster on this machine.
  # shellcheck disable=SC2010
  if ls -l "/proc/$step/fd" 2>/dev/null | grep -q "$work/"; then echo "$step" >>"$work/steps" &&
    kill -KILL "$step"; fi
done
[ -s "$work/steps" ] || fail 'no task was at work on the node when it failed'
pkill -KILL -f -- "--out $work/failed .*--share" || true
scontrol update NodeName="$host" State=DOWN Reason=failed
wait_for 'the requeue' 'squeue -h -o "%T %r" | grep -q PENDING'
kill "$(cat "$work/slurmctld.pid")"
wait_for 'the end of the controller' '! squeue -h >/dev/null 2>&1'
sleep 2
slurmctld >"$work/started" 2>&1 || fail 'slurmctld does not start again'
slurmd >"$work/started" 2>&1 || fail 'slurmd does not start again'
# shellcheck disable=SC2016
wait_for 'the node' 'scontrol update NodeName="$host" State=RESUME 2>/dev/null ||
  sinfo -h -o %T 2>/dev/null | grep -q -e idle -e alloc -e mixed'
# A requeued task would wait for about two minutes; that need not be tested.
for task in $(squeue -h -r -o %A); do scontrol update JobId="$task" StartTime=now 2>/dev/null || true; done
status=0
wait $pid || status=$?
[ "$status" = 1 ] || fail "after a node has failed, the batch ended with $status, not 1"
grep -q '5 submissions: 2 passed, 3 fell short, 0 with grader errors' "$work/said" ||
  fail 'after a node has failed, not all are graded'
[ "$before" = "$(grep '"seconds"' "$first")" ] ||
  fail 'what was graded before the node failed was graded again'
cmp -s "$work/here/grades.csv" "$work/failed/grades.csv" || fail 'after a node has failed the grades differ'
