#!/bin/sh
# In: docs/rules, the corpus as built. Out: each page whose report is not the one that its wrong kernel gets,
# code that uses a name which the interface doesn't define, and sections of the PTX ISA that are not in the
# list of those looked up; exit 1 if there is any.
set -eu
cd "$(dirname "$0")/../../.."
work=build/docs-work/rules
mkdir -p $work
status=0

sh docs/machinery/rule-reports.sh compare || status=1

# Every piece of code stands on the interface alone, as a student has it: nothing of the corpus's harness.
{
  printf '#include "%s"\n' cuda-check.h tensor-map.h tma-interface.cuh tma-cache.cuh tma-cluster.cuh
  for block in build/corpus/src/rules/*.cu; do
    echo "namespace block_$(basename "$block" .cu | tr - _) {"
    echo "#include \"$block\""
    echo '}'
  done
} >$work/alone.cu
${NVCC:-nvcc} -std=c++17 -arch=compute_90a -ptx -I. -Iinterface -diag-suppress 177,550,1835 $work/alone.cu \
  -o $work/alone.ptx 2>$work/alone.log ||
  { cat $work/alone.log; status=1; }

# Every section that is cited exists, and is about what the page says.
awk -f docs/machinery/cites.awk docs/machinery/ptx-sections.txt docs/rules/*.md || status=1

# The test itself works: it reports planted faults.
notices() {
  printf '## Reference\n\n%s\n' "$2" >$work/planted.md
  awk -f docs/machinery/cites.awk docs/machinery/ptx-sections.txt $work/planted.md | grep -qF -- "$1" ||
    { echo "does not notice: $1"; status=1; }
}
# shellcheck disable=SC2016 # these are Markdown's backticks
{
  notices 'is not in ptx-sections.txt' 'PTX ISA 9.1, section 9.7.19.9 `trap`'
  notices 'is about trap, not bar.sync' 'PTX ISA 9.1, section 9.7.19.4 `bar.sync`'
  notices 'must cite as' 'PTX ISA 9.7.19.4 `trap`'
}
exit $status
