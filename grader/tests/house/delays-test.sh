#!/bin/sh
# In: a built corpus. Out: exit 0 if each member with host functions or streams' values gets its verdict on a
# machine that holds threads up at the worst moments (grader/tests/delays/delays.c); else the verdicts.
# The idea: what a report says follows from what the program calls, never from which thread comes first.
set -eu
tests=grader/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Under two seeds: the program's first thread is slow and the library's are not; any of them may be.
cat >"$work/vhopper" <<END
#!/bin/sh
LD_PRELOAD=$PWD/build/tests/delays.so DELAYS=\$((2 * \$3 + 2)) HELD=$work/held \\
  exec build/bin/vhopper "\$@"
END
chmod +x "$work/vhopper"

used='cudaLaunchHostFunc|cudaStreamAddCallback|stream-values.h'
while IFS='|' read -r kind name _ file; do
  case $kind in
  clean) source=$file ;;
  mutant) source=$(sed -n 's,^// from: ,,p' "$file") ;;
  *) continue ;;
  esac
  # shellcheck disable=SC2086 # one name
  if grep -qE "$used" "$file" $source; then echo "$kind $name 2"; fi
done <build/corpus/members >"$work/members"
[ "$(wc -l <"$work/members")" -ge 70 ] || { echo "members are missing:"; cat "$work/members"; exit 1; }

OUTPUT=$work/output VHOPPER=$work/vhopper xargs -P 8 -n 3 sh $tests/corpus-test.sh seeds \
  <"$work/members" >"$work/verdicts"
awk '{ ms += $1 } END { if (ms < 30000) { print ms + 0 " ms in all: nobody was held up"; exit 1 } }' \
  "$work/held"
! grep -v '|caught$\||silent$' "$work/verdicts"
