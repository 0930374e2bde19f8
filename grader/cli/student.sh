#!/bin/sh
# In: hint N, reset N or watch N, and LAB and STEP from the makefile. Out: one hint; the skeleton put back,
# with the student's file kept aside; a check after every save. The idea: what a student types without
# thinking needs no tools and loses no work.
set -eu
lab=${LAB:?student.sh: LAB= must name the lab}
command=$1
number=$2
# Sets source and name; fails if the lab has no exercise of that number.
find_exercise() {
  source=
  for candidate in labs/"$lab"/"$1"-*.cu; do
    [ -e "$candidate" ] && source=$candidate
  done
  [ -n "$source" ] && name=$(basename "$source" .cu)
}
if ! find_exercise "$number"; then
  echo "make $command-$number: there is no labs/$lab/$number-*.cu" >&2
  exit 2
fi
# What to type for this lab: of several labs, make has to be told which.
of_lab=
for other in labs/*/lab.cfg; do
  [ "$other" = "labs/$lab/lab.cfg" ] || of_lab=" LAB=$lab"
done

# Sets the width of text: the terminal's, up to what is good to read.
find_width() {
  wide=80
  if [ -t 1 ]; then
    exec 3<&1
    wide=$(stty size <&3 2>/dev/null | cut -d' ' -f2)
    [ "${wide:-0}" -ge 40 ] || wide=80
  fi
  [ "$wide" -le 100 ] || wide=100
}

# Each call shows the next hint; STEP= shows a certain one and doesn't count.
hint() {
  hints=labs/$lab/hints/$number.md
  seen=build/progress/$lab-hint-$number
  [ -e "$hints" ] || {
    echo "make hint-$number: there are no hints for $name: $hints is missing" >&2
    exit 2
  }
  last=$(grep -c '^## ' "$hints")
  if [ -n "${STEP:-}" ]; then
    step=$STEP
  else
    step=$(($(cat "$seen" 2>/dev/null || echo 0) + 1))
    if [ "$step" -gt "$last" ]; then
      echo "Those were all $last hints for $name. make hint-$number$of_lab STEP=1 shows the first again;" \
        "make explain lists the rules."
      return
    fi
    # If the count can't be written, the next hint is asked for by its number.
    { mkdir -p build/progress && echo "$step" >"$seen"; } 2>/dev/null || STEP=$step
  fi
  case $step in
  [1-9]*) [ "$step" -le "$last" ] ;;
  *) false ;;
  esac || {
    echo "make hint-$number: STEP=$step: there are hints 1 to $last" >&2
    exit 2
  }
  echo "Hint $step of $last for $name"
  find_width
  awk -v width="$wide" -v section="$step" -f grader/cli/page.awk "$hints"
  [ "$step" = "$last" ] || echo "The next one: make hint-$number$of_lab${STEP:+ STEP=$((step + 1))}"
}

# lab.cfg has the skeleton's fingerprint, so that no other file is ever put back.
is_skeleton() {
  wanted=$(sed -n "/name = \"$name\";/,/skeleton = /s/.*skeleton = \"\([0-9a-f]*\)\".*/\1/p" \
    "labs/$lab/lab.cfg")
  [ -s "$1" ] && [ "$(build/bin/grader fingerprint "$1")" = "$wanted" ]
}

# From the copy in the students' archive, else from the solutions, else from git's history.
find_skeleton() {
  if [ -e "labs/$lab/.given/$name.cu" ]; then
    cp "labs/$lab/.given/$name.cu" "$1"
    if is_skeleton "$1"; then return; fi
  fi
  if [ -e "solutions/$lab/$name.cu" ]; then
    sh grader/setup/derive-labs.sh --print "solutions/$lab/$name.cu" >"$1"
    if is_skeleton "$1"; then return; fi
  fi
  for commit in $(git rev-list HEAD -- "$source" 2>/dev/null); do
    git show "$commit:./$source" >"$1" 2>/dev/null || continue
    if is_skeleton "$1"; then return; fi
  done
  return 1
}

reset() {
  if is_skeleton "$source"; then
    echo "$source is as it was given out."
    return
  fi
  mkdir -p build/progress
  new=build/progress/$name.skeleton
  find_skeleton "$new" || {
    echo "make reset-$number: neither solutions/ nor git has the file as it was given out:" \
      "take it from the handout again" >&2
    exit 2
  }
  copy=1
  while [ -e "$source.kept-$copy" ]; do copy=$((copy + 1)); done
  cp -p "$source" "$source.kept-$copy"
  cp "$new" "$source"
  rm -f "build/progress/$lab-hint-$number"
  echo "$source is as it was given out. Yours is kept in $source.kept-$copy"
}

# Whether the lab is in order and has a next exercise, which becomes the watched one.
go_on() {
  grep -q '^in_order = true;' "labs/$lab/lab.cfg" || return 1
  if find_exercise $((number + 1)); then
    number=$((number + 1))
  else
    find_exercise "$number"
    return 1
  fi
}

# On a terminal each check begins on an empty screen. The time stands above it, and below it, too, since the
# top may scroll away. In a lab in order, the exercise after one that passes is watched next.
watch() {
  trap 'printf "\nNo longer watching %s.\n" "$source"; exit 0' INT TERM
  before=
  went_on=
  while [ -d "labs/$lab" ]; do # until the kit is taken away
    now=$(cksum "$source" 2>/dev/null) || now=$before
    if [ "$now" != "$before" ]; then
      before=$now
      if [ -z "$went_on" ] && [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\033[H\033[2J'; fi
      echo "$(date +%H:%M:%S)  Watching $source: save it, and it is checked. Ctrl-C ends this."
      echo
      went_on=
      if build/bin/grader check "$lab/$name" && go_on; then
        went_on=yes # and the screen isn't emptied, since it says what was done
        before=
        echo
        continue
      fi
      [ ! -t 1 ] || printf '\nChecked at %s. Waiting for the next save; Ctrl-C ends this. ' \
        "$(date +%H:%M:%S)"
      [ -z "${WATCH_ONCE:-}" ] || return 0
    fi
    sleep 0.5 || true # Ctrl-C may end it before it reaches us
  done
}

case $command in
hint | reset | watch) "$command" ;;
*)
  echo "student.sh: $command: hint, reset or watch" >&2
  exit 2
  ;;
esac
