#!/bin/sh
# In: the built grader. Out: exit 0 if colours and progress go only to terminals that can show them, if output
# that can't be written is an error, and if Ctrl-C leaves neither a process nor a scratch folder.
# The idea: each run gets a terminal of its own, in which the test types as a person would.
set -u
scratch=$(sh grader/tests/work-folder.sh terminal $$)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tmp" "$scratch/sleeps" "$scratch/wrong"
export TMPDIR="$scratch/tmp"
grep -v '^// ' grader/tests/submissions/sleeps-on-host.cu >"$scratch/sleeps/1-bulk-copy-1d.cu"
cp labs/lab9/1-bulk-copy-1d.cu "$scratch/wrong"
failed=0

cat >"$scratch/terminal.py" <<'END_OF_PYTHON'
# terminal.py AWAITED COMMAND ..: runs the command in a terminal of 100 columns, and types Ctrl-C once it has
# printed AWAITED ('' for never). Exits with the command's status.
import fcntl, os, pty, struct, sys, termios
awaited, command = sys.argv[1].encode(), sys.argv[2:]
ready, go = os.pipe()
process, terminal = pty.fork()
if process == 0:
    os.read(ready, 1)
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 100, 0, 0))
os.write(go, b'1')
said, typed = b'', False
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    said += piece
    if awaited and awaited in said and not typed:
        os.write(terminal, b'\x03')
        typed = True
sys.stdout.buffer.write(said)
sys.stdout.flush()
status = os.waitpid(process, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
END_OF_PYTHON

complain() {
  echo "$1"
  sed 's/^/    /' "$scratch/output"
  failed=1
}

# run STATUS COMMAND..: the command ends with that status; its output is in $scratch/output.
run() {
  expected=$1
  shift
  status=0
  timeout 1000 "$@" >"$scratch/output" 2>&1 || status=$?
  [ "$status" = "$expected" ] || complain "exit $status, expected $expected: $*"
}

terminal() { run "$1" env "$2" "$3" python3 "$scratch/terminal.py" "$4" build/bin/grader check lab9/1 \
  --submission "$scratch/$5" --device virtual --seed 1; }
escape=$(printf '\033')

# Colours and progress: for a terminal that says it can.
terminal 1 TERM=xterm NO_COLOR= '' wrong
grep -q "$escape\\[1m" "$scratch/output" || complain 'no colours on a terminal'
terminal 1 TERM=xterm NO_COLOR=1 '' wrong
if grep -q "$escape\\[[0-9;]*m" "$scratch/output"; then complain 'colours with NO_COLOR'; fi
for dumb in TERM=dumb --unset=TERM; do
  terminal 1 "$dumb" NO_COLOR= '' wrong
  if grep -q "$escape" "$scratch/output"; then complain "escapes with $dumb"; fi
  tail -n 1 "$scratch/output" | grep -q '^Then  make lab9-1 ' || complain "another last line with $dumb"
done

# Once a rule is broken where the report tells it, what is left is asked for its values alone.
mkdir "$scratch/racy"
awk -f grader/tests/corpus/mutate.awk grader/tests/mutants/lab9-1-no-fence.mutant \
  solutions/lab9/1-bulk-copy-1d.cu >"$scratch/racy/1-bulk-copy-1d.cu"
terminal 1 TERM=xterm NO_COLOR= '' racy
if ! grep -q ' rules and values, run 1 of' "$scratch/output" ||
  ! grep -q ': values, run' "$scratch/output"; then
  complain 'rules are judged on although they have nothing to say any more'
fi

# Ctrl-C while a launcher sleeps: the grader ends by the signal, as the shell expects.
terminal 130 TERM=xterm NO_COLOR= "rules and values" sleeps
# Whoever dies with the grader is killed at that moment, and gone a little later.
ends=$(($(date +%s) + 300)) # far more than a busy machine needs
while pgrep -af "$scratch/tmp" >"$scratch/output"; do
  [ "$(date +%s)" -le "$ends" ] || { complain 'Ctrl-C leaves processes'; break; }
  sleep 0.1
done
ls -A "$scratch/tmp" >"$scratch/output"
[ ! -s "$scratch/output" ] || complain 'Ctrl-C leaves files'

# Ctrl-C while a file is watched, and while the grader is being built: no process goes on. GNU make 4.3
# was seen to end with 2 and "wait: No child processes" there, once, on a busy machine; that is an end, too.
# shellcheck disable=SC2016 # that shell's own
press_in() {
  status=0
  timeout 1000 env -u MAKEFLAGS -u MAKELEVEL TERM=xterm KIT="$PWD/.kit" sh \
    -c 'cd "$1" && exec python3 "$2" "$3" make "$4"' - "$1" "$scratch/terminal.py" "$2" "$3" \
    >"$scratch/output" 2>&1 || status=$?
  case $status in
  130) interrupted="$3\].*Interrupt\|grader-built\].*Interrupt" ;;
  2) interrupted='\*\*\* wait: No child processes' ;;
  *) interrupted='no status of an interrupted make' ;;
  esac
  if ! grep -q "$interrupted" "$scratch/output" || ! grep -q 'Interrupt' "$scratch/output"; then
    complain "Ctrl-C does not end make $3: exit $status"
  fi
}
mkdir "$scratch/kit"
cp -r Makefile grader interface labs solutions "$scratch/kit"
press_in . 'Then  make lab9-1' watch-1
press_in "$scratch/kit" 'Building the grader' lab9-1
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/cwd")" != "$scratch/kit" ] || tr '\0' ' ' <"$process/cmdline"
done >"$scratch/output" 2>/dev/null
[ ! -s "$scratch/output" ] || complain 'Ctrl-C in a build leaves processes'

# The output is closed or full: that is an error, and nothing else is written in its place.
for command in doctor explain "check lab9/1 --submission $scratch/wrong --device virtual"; do
  for output in '>/dev/full' '>&-' '<&- >&-'; do
    run 2 sh -c "build/bin/grader $command $output"
    grep -q 'cannot be written' "$scratch/output" ||
      complain "does not say that it can't write: grader $command $output"
  done
done
run 1 sh -c "build/bin/grader grade lab9/1 --submission $scratch/wrong --device virtual \
  --format json -o $scratch/report.json <&- >&- 2>&-"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$scratch/report.json" ||
  complain 'with closed streams, no report or half of one'
# shellcheck disable=SC2016 # that shell's own
run 0 bash -c 'build/bin/grader explain | head -n 1; exit ${PIPESTATUS[1]}'
[ "$(wc -l <"$scratch/output")" = 1 ] || complain 'head leaves more than a line'
exit $failed
