#!/bin/sh
# In: a built kit. Out: exit 0 if a submission that this machine is too busy to judge stays unjudged: no
# points lost, none given, the reason told, exit 2.
# The idea: a real shortage. The virtual Hopper's process gets what is left of one core when busy processes
# have taken their share, which is less than a thousandth of it. Its kernel works for seconds, so that the
# shortage begins before it ends.
set -u
work=$(mktemp -d)
busy=''
# shellcheck disable=SC2086 # several processes
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/hand-in"
sed -e 's,i = threadIdx.x; i < length; i += THREADS,i = 0; i < (threadIdx.x ? 0 : length); i++,' \
  -e 's,tile\[i\] += 1,for (int n = 0; n < 35; n++) ((volatile uint32_t *)tile)[i] += n < 1,' \
  solutions/lab9/1-bulk-copy-1d.cu >"$work/hand-in/1-bulk-copy-1d.cu"

build/hurried/bin/grader grade lab9/1 --submission "$work/hand-in" --device virtual --deadline 3 \
  --format json -o "$work/report.json" >"$work/said" 2>&1 &
grader=$!

for _ in 1 2 3 4; do
  taskset -c 0 sh -c 'while :; do :; done' &
  busy="$busy $!"
done
# The grader judges each exercise in a child of its own, which starts a device for each process that it runs.
# One that has little to do may be gone before it is found. They are looked for without a process of one's own
# each time, which would take a core.
children_of() {
  children=
  for task in "/proc/$1/task"/*/children; do
    of_task=
    read -r of_task 2>/dev/null <"$task" || true
    children="$children $of_task"
  done
  [ -e "/proc/$$/task/$$/children" ] || children=$(pgrep -P "$1")
}
found=''
while kill -0 "$grader" 2>/dev/null; do
  children_of "$grader"
  for judge in $children; do
    children_of "$judge"
    for device in $children; do
      case " $found " in *" $device "*) continue ;; esac
      name=
      read -r name 2>/dev/null <"/proc/$device/comm" || true
      [ "$name" = virtual-device ] || continue
      if taskset -a -p -c 0 "$device" >/dev/null 2>&1 && chrt -a -i -p 0 "$device" 2>/dev/null; then
        found="$found $device"
      fi
    done
  done
  sleep 0.02
done
[ -n "$found" ] || { echo "no virtual-device was held back"; cat "$work/said"; exit 1; }

status=0
wait "$grader" || status=$?
python3 - "$work/report.json" "$status" <<'END' || { cat "$work/said"; exit 1; }
import json, sys

report = json.load(open(sys.argv[1]))
(exercise,) = report["exercises"]
stages = {stage["name"]: stage for stage in exercise["stages"]}
rules = stages["rules"]
got = {
    "exit status": int(sys.argv[2]),
    "verdict": exercise["verdict"],
    "score": [report["score"], report["max_score"]],
    "stages": [stages[name]["verdict"] for name in ("build", "rules", "correctness", "bandwidth")],
    "headline": rules["headline"],
    "rule": rules["rule"],
    "what to do": "Grade it again" in rules["detail"],
}
expected = {
    "exit status": 2,
    "verdict": "ungraded",
    "score": [0, 0],
    "stages": ["pass", "ungraded", "ungraded", "ungraded"],
    "headline": "is not judged: this machine is too busy",
    "rule": "",
    "what to do": True,
}
for what in expected:
    if got[what] != expected[what]:
        print(f"{what}: got {got[what]}, expected {expected[what]}")
sys.exit(got != expected)
END
