#!/bin/sh
# In: `one KIND NAME` or `all [SEEDS]`. Out: for one, nothing and 0 when it did what it should under each of
# $SEEDS seeds (20); for all, every member that didn't, and a table; 1 when there was any.
# The idea: a correct kernel must run silent and print ok; a mutant must be reported by its rule, no other, at
# its line.
set -eu
tests=grader/tests
build=build/corpus
output=${OUTPUT:-$build/output}

# says_ok FILE: its only line is `ok`. No process is started for it, nor for a time limit: these two were a
# fifth of a small kernel's time.
says_ok() {
  { read -r said && ! read -r more; } <"$1" && [ "$said$more" = ok ]
}

# run_seeds PROGRAM NAME EXPECTATION KIND SEEDS: prints KIND|NAME|SEED|VERDICT of each seed. All reports are
# judged by one awk: processes of the shell took a third of the time.
run_seeds() {
  work=$output/$4-$2
  [ ! -e "$work" ] || rm -r "$work"
  mkdir -p "$work"
  # An endless loop spends its budget in full.
  options=$(sed -n 's,^// options: ,,p; s,^// expect: fault endless-loop.*,--budget 3000000,p' "$3")
  reports=
  seed=0
  while [ $seed -lt "$5" ]; do
    status=0
    # shellcheck disable=SC2086 # options are words
    "${VHOPPER:-build/bin/vhopper}" run --seed $seed --workers $((seed % 2 + 1)) --time-limit 1000 \
      --budget 100000000 $options -- "$1" "$2" >"$work/$seed.out" 2>"$work/$seed.err" || status=$?
    echo "$status" >>"$work/statuses"
    reports="$reports $work/$seed.err"
    seed=$((seed + 1))
  done
  # shellcheck disable=SC2086 # names without blanks
  awk -f $tests/corpus/judge.awk "$3" $reports >"$work/verdicts"
  seed=0
  wrong=0
  while read -r verdict <&3 && read -r status <&4; do
    if [ "$verdict" = silent ]; then
      if [ "$status" != 0 ] || ! says_ok "$work/$seed.out"; then
        verdict="wrong result: exit $status"
      fi
    fi
    if [ "$status" = 69 ]; then verdict="unsupported: $(grep -m 1 'not supported' "$work/$seed.err")"; fi
    case $verdict in caught | silent) ;; *) wrong=1 ;; esac
    echo "$4|$2|$seed|$verdict"
    seed=$((seed + 1))
  done 3<"$work/verdicts" 4<"$work/statuses"
  if [ $seed != "$5" ]; then
    echo "$4|$2|$seed|not judged"
  elif [ $wrong = 0 ]; then
    rm -r "$work"
  fi
}

# run_member KIND NAME SEEDS: the same of a member.
run_member() {
  IFS='|' read -r kind name program expectation <<LINE
$(grep "^$1|$2|" $build/members || echo "$1|$2|missing|missing")
LINE
  if [ "$program" = missing ]; then
    echo "$1|$2|0|not built"
  else
    run_seeds "$program" "$name" "$expectation" "$kind" "$3"
  fi
}

case $1 in
seeds) # KIND NAME SEEDS: the verdict under each
  run_member "$2" "$3" "$4"
  ;;
one)
  wrong=$(run_member "$2" "$3" "${SEEDS:-20}" | grep -v '|caught$\||silent$' || true)
  [ -n "$wrong" ] || exit 0
  echo "$wrong"
  head -c 4000 "$(echo "$wrong" | head -n 1 |
    awk -F'|' -v b="$output" '{ print b "/" $1 "-" $2 "/" $3 ".err" }')" || true
  exit 1
  ;;
all)
  awk -F'|' -v seeds="${2:-${SEEDS:-20}}" '{ print $1, $2, seeds }' $build/members |
    xargs -P "${JOBS:-$(nproc)}" -n 3 sh "$0" seeds >$build/verdicts
  grep -v '|caught$\||silent$' $build/verdicts | sort || true
  awk -F'|' '
    {
      sub(/:.*/, "", $4)
      runs[$1]++
      n[$1 "|" $4]++
      name[$1 "|" $2]
      verdicts[$4]
      if ($4 != "caught" && $4 != "silent") bad[$1 "|" $2]
    }
    END {
      for (k in runs) {
        members = failing = 0
        for (m in name) if (index(m, k "|") == 1) { members++; if (m in bad) failing++ }
        line = sprintf("%-12s %3d members, %5d runs:", k, members, runs[k])
        for (v in verdicts) if (n[k "|" v]) line = line sprintf(" %d %s,", n[k "|" v], v)
        print line " " failing " members not as they should be"
        all += failing
      }
      exit all > 0
    }' $build/verdicts
  ;;
*)
  echo "corpus-test.sh: one KIND NAME, or all [SEEDS]" >&2
  exit 2
  ;;
esac
