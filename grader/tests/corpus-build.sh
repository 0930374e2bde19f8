#!/bin/sh
# In: grader/tests/clean/*.cu, grader/tests/mutants/*.mutant, the kernels in docs/rules/*.md. Out:
# build/corpus/: programs that hold a dozen of them each, and `members`, one line for each:
# KIND|NAME|PROGRAM|FILE THAT SAYS WHAT IS EXPECTED.
# The idea: reading the headers costs a second, a kernel some milliseconds; so many share one translation
# unit, each in a namespace of its own, and only PTX is made, which is all that the virtual Hopper reads. With
# MACHINE_CODE=yes the chip's own code is made, too: a driver need not compile then. `corpus-build.sh lists`
# makes sources and lists, and compiles nothing.
set -eu
tests=grader/tests
build=build/corpus
size=12
mkdir -p $build/src/rules
exec 9>$build/lock
flock 9 # two builds at once would take each other's lists away
: >$build/members.new

# keep FILE.new: replaces FILE if the two differ, so that unchanged sources are not compiled again.
keep() {
  if cmp -s "$1" "${1%.new}"; then rm "$1"; else mv "$1" "${1%.new}"; fi
}

# Members and what they are made of, KIND|NAME|SOURCE|EXPECTATION.
for source in "$tests"/clean/*.cu; do
  name=${source##*/}
  echo "clean|${name%.cu}|$source|$source"
done >$build/unsorted

mutate() { # MUTANTS: adds those that there are
  [ ! -e "$1" ] || awk -v many=yes -v tests=$tests -v build=$build -f $tests/corpus/mutate.awk \
    -f $tests/corpus/mutants.awk "$@"
}
mutate "$tests"/mutants/*.mutant

for page in docs/rules/*.md; do
  [ -e "$page" ] || continue
  name=${page##*/}
  name=${name%.md}
  [ "$name" != README ] || continue
  for kind in wrong mended; do
    source=$build/src/rule-$name-$kind.cu
    awk -v kind=$kind -v alone="$build/src/rules/$name-$kind.cu" -f $tests/corpus/page.awk "$page" \
      >"$source.new"
    if [ ! -s "$source.new" ]; then
      rm "$source.new"
      continue
    fi
    keep "$source.new"
    if [ $kind = wrong ]; then
      echo "// expect: fault $name" >"$build/src/rule-$name.expect"
      sed -n 's,^<!-- \(\(also\|options\): .*\) -->,// \1,p' "$page" >>"$build/src/rule-$name.expect"
      echo "rule-wrong|$name-$kind|$source|$build/src/rule-$name.expect"
    else
      echo "rule-mended|$name-$kind|$source|$source"
    fi >>$build/unsorted
  done
done

# What says `// target: sm_90a` is built for that, with the instructions that only it has; `// streams:
# per-thread` asks for a default stream per thread.
for list in light heavy sm_90a per-thread; do : >$build/$list.list; done
awk -F'|' -v build=$build '
  {
    list = "light"
    while ((getline line < $3) > 0) {
      if (line ~ /^#include </ && list == "light") list = "heavy"
      if (line ~ /^\/\/ target: sm_90a/ && list != "per-thread") list = "sm_90a"
      if (line ~ /^\/\/ streams: per-thread/) list = "per-thread"
    }
    close($3)
    print >> (build "/" list ".list")
  }' $build/unsorted

# group LIST NUMBER: writes the translation unit of the members on stdin.
group_source() {
  echo '#include "grader/tests/clean/corpus.h"'
  echo '#include "grader/tests/programs/lab9-bandwidth.h"'
  echo '#include <cmath>'
  cut -d'|' -f3 "$1" | xargs grep -h '^#include <' | sort -u
  number=0
  while IFS='|' read -r _ _ source _; do
    echo "namespace member_$number {"
    echo "#include \"$source\""
    echo '} // namespace'
    number=$((number + 1))
  done <"$1"
  echo 'template <class function> static int call(function f, int count, char **arguments) {'
  echo '  if constexpr (std::is_invocable_v<function>) return f();'
  echo '  else return f(count, arguments);'
  echo '}'
  echo 'int main(int count, char **arguments) {'
  echo '  const std::string name = count > 1 ? arguments[1] : "";'
  echo '  count = 1;'
  number=0
  while IFS='|' read -r _ name _ _; do
    echo "  if (name == \"$name\") return call(member_$number::main, count, arguments);"
    number=$((number + 1))
  done <"$1"
  cat <<"END"
  fprintf(stderr, "no member %s\n", name.c_str());
  return 2;
}
END
}

rm -f $build/*.group
for list in light heavy sm_90a per-thread; do
  split -l $size -d -a 3 --additional-suffix=.group $build/$list.list $build/$list-
done
for group in "$build"/*.group; do
  [ -e "$group" ] || continue
  program=${group%.group}
  { echo '#include <string>'; echo '#include <type_traits>'; group_source "$group"; } >"$program.cu.new"
  keep "$program.cu.new"
  # A program is compiled again when anything that it is made of has changed.
  { echo "${MACHINE_CODE-}"
    cat "$program.cu" interface/*.cuh interface/*.h $tests/clean/*.h $tests/programs/*.h
    cut -d'|' -f3 "$group" | xargs cat; } | cksum >"$program.sum.new"
  while IFS='|' read -r kind name _ expectation; do
    echo "$kind|$name|$program|$expectation" >>$build/members.new
  done <"$group"
  if [ -x "$program" ] &&
    cmp -s "$program.sum.new" "$program.sum"; then rm "$program.sum.new"; else echo "$program"; fi
done >$build/stale
sort -o $build/members.new $build/members.new
mv $build/members.new $build/members
[ "${1-}" != lists ] || exit 0
labs=$(printf ' -I%s' labs/*/)
export labs
# shellcheck disable=SC2016 # for the shell that xargs starts
xargs -r -P "${JOBS:-$(nproc)}" -n 1 sh -c '
  rm -f "$1"
  arch=90
  case $1 in */sm_90a-*) arch=90a ;; esac
  streams=legacy
  case $1 in */per-thread-*) streams=per-thread ;; esac
  code=compute_$arch
  [ -z "${MACHINE_CODE-}" ] || code="[sm_$arch,compute_$arch]"
  sh grader/tests/lean-nvcc.sh build/corpus:./grader:interface:labs -c -cudart shared --no-compress \
      -lineinfo -std=c++17 -default-stream $streams -gencode "arch=compute_$arch,code=$code" -I. \
      -Iinterface $labs -diag-suppress 177,550,1835 -Xptxas -w "$1.cu" -o "$1.o" &&
    sh grader/tests/lean-link.sh "$1.o" -o "$1" && rm -f "$1.o" && mv "$1.sum.new" "$1.sum" &&
    echo "  NVCC  $1.cu"' corpus <$build/stale
