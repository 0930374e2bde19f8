#!/bin/sh
# In: build/corpus/members and its programs; needs a Hopper GPU and compute-sanitizer. Out:
# build/corpus/hardware, one line for each member: KIND|NAME|RULE|PLAIN 1|PLAIN 2|PLAIN
# 3|MEMCHECK|RACECHECK|SYNCCHECK|INITCHECK, and a table of how many each way caught.
# The idea: the virtual Hopper is worth its time only where hardware and the sanitizer show nothing, so this
# script asks them. A plain run is right, wrong, error or hangs; a tool reports, is silent or hangs.
# With "rules" it only prints the answers that it has as a table by rules.
# Answers in build/corpus/hardware-{plain,tools} are kept: a second call goes on where the first ended, and so
# does one that finds copies of grader/tests/gpu/answers/{plain,tools} there, answers of an H200. After
# the second UNTIL (of `date +%s`) no member is asked any more. Few at a time in plain runs: kernels that hang
# slow down whoever runs beside them.
set -eu
build=build/corpus
export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-/tmp/corpus-cache}" CUDA_CACHE_MAXSIZE=1073741824
export LD_LIBRARY_PATH="${CUDA_HOME:-/usr/local/cuda}/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

plain() { # PROGRAM NAME
  status=0
  output=$(timeout -k 2 "${PLAIN_SECONDS:-5}" "$1" "$2" 2>&1) || status=$?
  case $status in
  0) if [ "$output" = ok ]; then echo right; else echo wrong; fi ;;
  124 | 137) echo hangs ;;
  *) case $output in *cudaError* | *"CUDA error"*) echo error ;; *) echo wrong ;; esac ;;
  esac
}

# A tool that is silent about a program that fails by itself has reported nothing: only its own words count.
tool() { # TOOL PROGRAM NAME
  status=0
  output=$(timeout -k 2 "${TOOL_SECONDS:-30}" compute-sanitizer --tool "$1" --error-exitcode 77 "$2" \
    "$3" 2>&1) || status=$?
  case $status in
  124 | 137) echo hangs ;;
  *)
    case $output in
    *"ERROR SUMMARY: 0 errors"* | *"RACECHECK SUMMARY: 0 hazards"*) echo silent ;;
    *"ERROR SUMMARY"* | *"RACECHECK SUMMARY"*)
      # "Program hit cudaError... on an API call" tells of the failed launch, which the plain run shows as
      # well.
      if echo "$output" | grep '^=========' |
        grep -Ev -e 'Program hit|Saved host|Host Frame|SUMMARY|COMPUTE-SANITIZER' \
          -e '=========[[:space:]]*$|Target application' | grep -q .; then
        echo reports
      else
        echo silent
      fi
      ;;
    *) echo failed ;;
    esac
    ;;
  esac
}

# ask HOW JOBS: members on standard input, as in the list; those that are answered already are left out.
ask() {
  touch "$build/hardware-$1"
  cut -d'|' -f1-2 "$build/hardware-$1" | sort >$build/answered
  awk -F'|' 'FILENAME != "-" { known[$0]; next } !($1 "|" $2 in known) { print $1, $2, $3 }' $build/answered \
    - |
    xargs -r -P "$2" -n 3 sh "$0" "$1" >>"$build/hardware-$1"
}

members() {
  grep -E '^(clean|mutant)\|' $build/members
}

# hanging YES-OR-NO: the members that hung in all plain runs, or the others.
hanging() {
  members | awk -F'|' -v want="$1" '
    FILENAME != "-" { hangs[$1 "|" $2] = $3 $4 $5 == "hangshangshangs"; next }
    hangs[$1 "|" $2] == (want == "yes")' $build/hardware-plain -
}

table() {
  awk -F'|' '
    $1 == "mutant" {
      n++
      bad = any = 0
      for (i = 4; i <= 6; i++) bad += $i != "right"
      for (i = 7; i <= 10; i++) { tools[i] += $i == "reports"; any += $i == "reports" }
      stuck += $4 $5 $6 == "hangshangshangs"
      always += bad == 3; sometimes += bad > 0 && bad < 3; never += bad == 0
      sanitizer += any > 0; hidden += bad == 0 && any == 0; unseen += bad == 0; seen += bad == 0 && any > 0
    }
    $1 == "clean" {
      c++
      any = bad = 0
      for (i = 4; i <= 6; i++) bad += $i != "right"
      for (i = 7; i <= 10; i++) { any += $i == "reports"; falsely[i] += $i == "reports" }
      wrongs += bad > 0; accused += any > 0
    }
    END {
      printf "%d mutants\n", n
      printf "  plain runs: not right in all three %d (of them hanging %d), in some %d, right in all %d\n",
        always, stuck, sometimes, never
      printf "  compute-sanitizer: memcheck reports %d, racecheck %d, ", tools[7], tools[8]
      printf "synccheck %d, initcheck %d, any of them %d\n", tools[9], tools[10], sanitizer
      printf "  of the %d that are right in all runs, any tool reports %d; nothing at all tells of %d\n",
        unseen, seen, hidden
      printf "%d correct kernels\n", c
      printf "  not right in some plain run %d; accused by some tool %d ", wrongs, accused
      printf "(memcheck %d, racecheck %d, synccheck %d, initcheck %d)\n",
        falsely[7], falsely[8], falsely[9], falsely[10]
    }' $build/hardware
}

# The table of docs/measurements/faults.md: a line for each rule.
rules() {
  echo '| rule | mutants | right in all 3 runs | hangs | wrong or error | mixed' \
    '| memcheck | racecheck | synccheck | initcheck | any tool |'
  echo '|---|---|---|---|---|---|---|---|---|---|---|'
  awk -F'|' '
    function count(column, yes) { if (yes) of[$3, column]++; if (yes) of["**all**", column]++ }
    $1 == "mutant" {
      bad = any = 0
      for (i = 4; i <= 6; i++) bad += $i != "right"
      for (i = 7; i <= 10; i++) { count(i, $i == "reports"); any += $i == "reports" }
      known[$3]
      count(1, 1); count(2, bad == 0); count(3, $4 $5 $6 == "hangshangshangs")
      count(4, bad == 3 && $4 $5 $6 != "hangshangshangs"); count(5, bad > 0 && bad < 3); count(11, any > 0)
    }
    function line(rule,  i, text) {
      text = "| " rule " "
      for (i = 1; i <= 11; i++) if (i != 6) text = text "| " of[rule, i] + 0 " "
      print text "|"
    }
    END { for (rule in known) line(rule); line("**all**") }' $build/hardware | LC_ALL=C sort | {
    IFS= read -r all
    cat
    echo "$all"
  }
}

in_time() {
  [ "$(date +%s)" -lt "${UNTIL:-9999999999}" ]
}

case ${1-} in
rules) rules ;;
plain) # KIND NAME PROGRAM
  in_time || exit 0
  echo "$2|$3|$(plain "$4" "$3")|$(plain "$4" "$3")|$(plain "$4" "$3")"
  ;;
tools)
  in_time || exit 0
  echo "$2|$3|$(tool memcheck "$4" "$3")|$(tool racecheck "$4" "$3")|$(tool synccheck "$4" \
    "$3")|$(tool initcheck "$4" "$3")"
  ;;
'')
  members | ask plain "${JOBS:-3}"
  hanging no | ask tools "${TOOL_JOBS:-8}"
  TOOL_SECONDS=${HANGING_SECONDS:-30}
  export TOOL_SECONDS
  hanging yes | ask tools "${HANGING_JOBS:-8}"
  members | while IFS='|' read -r kind name _ expectation; do
    rule=-
    if [ "$kind" = mutant ]; then rule=$(sed -n 's,^// expect: fault ,,p' "$expectation" | head -n 1); fi
    echo "$kind|$name|$rule|$(grep "^$kind|$name|" $build/hardware-plain |
      cut -d'|' -f3-)|$(grep "^$kind|$name|" $build/hardware-tools | cut -d'|' -f3-)"
  done | sort >$build/hardware
  table
  ;;
*)
  echo "corpus.sh: no argument" >&2
  exit 2
  ;;
esac
