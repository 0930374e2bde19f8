#!/bin/sh
# In: build/corpus/members and its programs; needs a Hopper GPU and compute-sanitizer. Out: build/corpus/hardware, one line for each member:
# KIND|NAME|RULE|PLAIN 1|PLAIN 2|PLAIN 3|MEMCHECK|RACECHECK|SYNCCHECK|INITCHECK, and a table of how many each way caught.
# The idea: what the virtual Hopper reports is worth its price only where hardware and the sanitizer say nothing; so ask them.
# A plain run is right, wrong, error or hangs; a tool reports, is silent or hangs.
set -eu
build=build/corpus
export CUDA_CACHE_PATH=/tmp/corpus-cache CUDA_CACHE_MAXSIZE=1073741824
export LD_LIBRARY_PATH="${CUDA_HOME:-/usr/local/cuda}/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

plain() { # PROGRAM NAME
  status=0
  output=$(timeout -k 2 "${PLAIN_SECONDS:-10}" "$1" "$2" 2>&1) || status=$?
  case $status in
  0) if [ "$output" = ok ]; then echo right; else echo wrong; fi ;;
  124 | 137) echo hangs ;;
  *) case $output in *cudaError* | *"CUDA error"*) echo error ;; *) echo wrong ;; esac ;;
  esac
}

# A tool that is silent about a program that fails by itself has reported nothing: only its own words count.
tool() { # TOOL PROGRAM NAME
  status=0
  output=$(timeout -k 2 "${TOOL_SECONDS:-40}" compute-sanitizer --tool "$1" --error-exitcode 77 "$2" "$3" 2>&1) || status=$?
  case $status in
  124 | 137) echo hangs ;;
  *)
    case $output in
    *"ERROR SUMMARY: 0 errors"* | *"RACECHECK SUMMARY: 0 hazards"*) echo silent ;;
    *"ERROR SUMMARY"* | *"RACECHECK SUMMARY"*)
      # "Program hit cudaError... on an API call" tells of the failed launch, which the plain run shows as well.
      if echo "$output" | grep '^=========' | grep -Ev 'Program hit|Saved host|Host Frame|SUMMARY|COMPUTE-SANITIZER|=========[[:space:]]*$|Target application' | grep -q .; then
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

case ${1-} in
member) # KIND NAME PROGRAM EXPECTATION
  rule=$(sed -n 's,^// expect: fault ,,p' "$5" | head -n 1)
  if [ "$2" = clean ]; then rule=-; fi
  line="$2|$3|${rule:--}"
  line="$line|$(plain "$4" "$3")|$(plain "$4" "$3")|$(plain "$4" "$3")"
  for name in memcheck racecheck synccheck initcheck; do line="$line|$(tool $name "$4" "$3")"; done
  echo "$line"
  ;;
'')
  grep -E '^(clean|mutant)\|' $build/members | tr '|' ' ' | xargs -P "${JOBS:-8}" -n 4 sh "$0" member >$build/hardware
  awk -F'|' '
    $1 == "mutant" {
      n++
      bad = 0
      for (i = 4; i <= 6; i++) if ($i != "right") bad++
      always += bad == 3; sometimes += bad > 0 && bad < 3; never += bad == 0
      for (i = 7; i <= 10; i++) tools[i] += $i == "reports"
      any = 0
      for (i = 7; i <= 10; i++) any += $i == "reports"
      sanitizer += any > 0
      hidden += bad == 0 && any == 0
      for (i = 4; i <= 10; i++) hangs[i] += $i == "hangs"
    }
    $1 == "clean" {
      c++
      for (i = 4; i <= 6; i++) cleanbad += $i != "right"
      any = 0
      for (i = 7; i <= 10; i++) { any += $i == "reports"; falsely[i] += $i == "reports" }
      cleanreports += any > 0
    }
    END {
      printf "mutants %d: wrong, failing or hanging in all three plain runs %d, in some %d, right in all %d\n", n, always, sometimes, never
      printf "compute-sanitizer reports: memcheck %d, racecheck %d, synccheck %d, initcheck %d; any of them %d; hangs %d\n", tools[7], tools[8], tools[9], tools[10], sanitizer, hangs[7]
      printf "right in all runs and nothing reported by any tool: %d\n", hidden
      printf "correct kernels %d: plain runs that went wrong %d; kernels that some tool accuses %d (memcheck %d, racecheck %d, synccheck %d, initcheck %d)\n", c, cleanbad, cleanreports, falsely[7], falsely[8], falsely[9], falsely[10]
    }' $build/hardware
  ;;
*)
  echo "corpus.sh: no argument" >&2
  exit 2
  ;;
esac
