#!/bin/sh
# In: a folder, a number, and perhaps the word `different`. Out: so many submissions in the folder, each a
# whole lab9. Of every ten, four are solutions, three mutants, two skeletons (one of them begun) and one is
# broken. They are folders, zip files and tar files in turn. The same number always makes the same class. With
# `different` no two files are the same: each ends with a line that names its submission.
set -eu
folder=$1
count=$2
different=${3:-}
tests=grader/tests
mkdir -p "$folder"
set -- $tests/mutants/lab9-*.mutant
mutants=$#
i=0
while [ "$i" -lt "$count" ]; do
  name=$(printf 'student-%03d' "$i")
  work=$folder/$name/lab9
  mkdir -p "$work"
  cp solutions/lab9/*.cu "$work/"
  case $((i % 10)) in
  0 | 2 | 4 | 6) ;;
  1 | 5 | 8)
    mutant=$(eval "echo \${$((i % mutants + 1))}")
    from=$(sed -n 's,^// from: ,,p' "$mutant")
    awk -f $tests/corpus/mutate.awk "$mutant" "$from" >"$work/$(basename "$from")"
    ;;
  3) cp labs/lab9/*.cu "$work/" ;;
  7)
    cp labs/lab9/*.cu "$work/"
    echo '// begun' >>"$work/1-bulk-copy-1d.cu"
    ;;
  9)
    broken=$(grep -l 'expect: exit 1' $tests/submissions/*.cu |
      grep -v -e loops -e sleeps -e spins -e /waits | xargs grep -L 'submission: lab' | LC_ALL=C sort |
      awk -v n=$((i / 10)) '{ file[NR - 1] = $0 } END { print file[n % NR] }')
    before=$(sed -n 's,^// after: ,,p' "$broken")
    change=$(sed -n 's,^// change: ,,p' "$broken")
    { [ -z "$before" ] ||
      sed -e "$change" "$before"; cat "$broken"; } >"$work/$(sed -n 's,^// submission: ,,p' "$broken").cu"
    ;;
  esac
  if [ "$different" = different ]; then
    for source in "$work"/*.cu; do echo "// $name" >>"$source"; done
  fi
  case $((i % 3)) in
  1)
    (cd "$folder/$name" && tar -czf "../$name.tar.gz" lab9)
    rm -r "${folder:?}/$name"
    ;;
  2)
    if command -v zip >/dev/null; then
      (cd "$folder/$name" && zip -q -r "../$name.zip" lab9)
      rm -r "${folder:?}/$name"
    fi
    ;;
  esac
  i=$((i + 1))
done
