#!/bin/sh
# run.sh REPOSITORY CHECKOUT [PATTERN]: foreign programs on the virtual Hopper.
# In: the name of a table beside this file; a checkout of that public repository, which the caller has made,
# at the commit that the table names; which programs (a shell pattern; default: all of the table).
# Out: one line for each program; exit 1 if one of them does not do what the table says.
# The idea: nobody here wrote these programs, so they find what our own tests do not think of. Nothing of a
# checkout is kept in the kit: binaries and reports lie in build/wild/, and a binary is built once.
#
# REPOSITORY.sh says how a program is built, REPOSITORY.table what it has to do: `PROGRAM [ARGUMENTS]|RESULT`,
# with
#   right                     it ended with 0, and nothing was reported
#   reported RULE FILE:LINE   it ended with 0, and each rule (several: blanks between the pairs) was reported
#   unsupported WHAT          it needs what the virtual Hopper has not got, which was named first
#   fails STATUS              it ended with another status, and nothing was reported
#   fails by its own words    it ended with 0, and said that its results are wrong
#   late                      it took longer than WILD_SECONDS (default 120)
#   not built                 the compiler did not take it
# `run.sh REPOSITORY CHECKOUT - <LIST` takes programs, one a line, from the standard input, and prints rows.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repository=$1
# shellcheck disable=SC2034 # REPOSITORY.sh uses it, as it does nvcc and flags
checkout=$(cd "$2" && pwd)
pattern=${3:-*}
root=$(cd "$here/../../.." && pwd)
out=$root/build/wild/$repository
table=$here/$repository.table
seconds=${WILD_SECONDS:-120}
# shellcheck disable=SC2034
nvcc=${NVCC:-nvcc}
# shellcheck disable=SC2034
flags='-gencode arch=compute_90a,code=[sm_90a,compute_90a] -cudart shared -lineinfo --no-compress -w'
mkdir -p "$out"
# REPOSITORY.sh may replace it: whether the program's own words (BINARY.out, BINARY.err) say that all is well.
accepts() { :; }
# shellcheck source=/dev/null
. "$here/$repository.sh"

# judge ARGUMENT ..: prints the RESULT of the program that has been built as $binary.
judge() {
  status=0
  (cd "$out" && timeout $((seconds + 30)) "$root/build/bin/vhopper" run --time-limit "$seconds" \
    --json "$binary.json" --log-file "$binary.log" -- "$binary" "$@") \
    >"$binary.out" 2>"$binary.err" </dev/null || status=$?
  if [ $status = 75 ] || [ $status = 124 ]; then
    echo late
  elif [ ! -s "$binary.json" ]; then
    echo "fails $status"
  else
    jq -r --arg status "$status" '
      def name: sub(".*/"; "");
      [.faults[] | select(.severity != "warning") | .rule + " " + ((.file // "-") | name) + ":" +
        (.line // 0 | tostring)] as $faults |
      if (.unsupported | length) > 0 then "unsupported " + (.unsupported[0] | if type == "object"
        then .what else . end)
      elif ($faults | length) > 0 then "reported " + ($faults | unique | join(" "))
      elif ($status == "0") then "right" else "fails " + $status end' "$binary.json" | tr '|' '/' \
      >"$binary.result"
    if [ "$(cat "$binary.result")" = right ] && ! accepts "$binary"; then
      echo 'fails by its own words'
    else
      cat "$binary.result"
    fi
  fi
}

# result PROGRAM
result() {
  binary=$out/$(echo "$1" | tr '/ ' '__')
  if [ ! -x "$binary" ] && ! (build "$1" "$binary") >"$binary.build" 2>&1; then
    echo 'not built'
  else
    # shellcheck disable=SC2086 # the arguments are words
    case $1 in
    *' '*) judge ${1#* } ;;
    *) judge ;;
    esac
  fi
}

if [ "$pattern" = - ]; then
  while read -r program; do echo "$program|$(result "$program")"; done
  exit
fi
commit=$(sed -n 's/^# commit //p' "$table")
echo "the table is of commit $commit"
grep -v '^#' "$table" | {
  count=0 differ=0
  while IFS='|' read -r program expected; do
    # shellcheck disable=SC2254 # a pattern
    case $program in $pattern) ;; *) continue ;; esac
    count=$((count + 1))
    found=$(result "$program")
    if [ "$found" = "$expected" ]; then
      echo "ok      $program: $found"
    else
      echo "differs $program: $found; the table says: $expected"
      differ=$((differ + 1))
    fi
  done
  echo "$count programs, $differ differ from the table"
  [ $count -gt 0 ] && [ $differ = 0 ]
}
