#!/bin/sh
# In: the Markdown that students read. Out: each piece of code in it that no test compiles; exit 1 if there is
# any.
# The idea: code in a fence is quoted from a file that docs-samples-test.sh runs; or it is a rule's kernel,
# which the corpus runs; or the report about it, which rule-pages-test.sh compares. Code within a sentence is
# a fragment, which the rule below allows.
set -eu
cd "$(dirname "$0")/../../.."
work=build/docs-work/code
mkdir -p $work
pages=$(ls README.md docs/*.md docs/guide/*.md docs/rules/*.md docs/reference/*.md labs/*/README.md)
status=0

# examine PAGE ..: what is wrong with them.
examine() {
  # A fence: quoted, or a rule's kernel (grader/tests/corpus-build.sh takes those that say so in their first
  # line).
  awk '
    FNR == 1 { inside = 0 }
    /^## / { heading = $0 }
    /^(```|~~~)/ && !inside {
      inside = 1; first = 0
      if ($0 ~ /^```\{\.(cuda|text) file="[^"]*"/) {
        file = $0; sub(/.*file="/, "", file); sub(/".*/, "", file)
        if (file !~ /^docs\/(guide\/samples\/[a-z0-9-]+\.(cu|out)|pictures\/[a-z0-9-]+\.txt)$/)
          print FILENAME ":" FNR ": quotes " file ", which no test compiles or compares"
      } else if (FILENAME ~ /docs\/rules\// && $0 == "```cuda") first = 1
      else if (heading != "## Reported" || $0 != "```text" || FILENAME !~ /docs\/rules\//)
        print FILENAME ":" FNR ": code that is quoted from no file: " $0
      next
    }
    /^(```|~~~)/ { inside = 0; next }
    inside && first {
      first = 0
      if ($0 !~ /^\/\/ (wrong|mended): <<</)
        print FILENAME ":" FNR ": neither // wrong: nor // mended:, so it is not compiled: " $0
    }
    !inside && /^    / && (/<<</ || /__[a-z]+__|__sync/ || /^ +[a-z_0-9<>]+\(.*\);/ || /\) \{$/) {
      print FILENAME ":" FNR ": indented code, quoted from no file: " $0
    }
  ' "$@"
  # Within a sentence: an expression, a call or a name. Statements are in the list below.
  awk '
    function spans(  n, i, part) {
      n = split(text, part, "`")
      for (i = 2; i <= n; i += 2) print place "|" part[i]
      text = ""
    }
    FNR == 1 { spans() }
    /^```/ { spans(); inside = !inside; next }
    inside || /^    / { next }
    NF == 0 { spans(); next }
    { if (text == "") place = FILENAME ":" FNR; text = text " " $0 } # a span may go on in the next line
    END { spans() }' "$@" >$work/spans
  awk -F'|' '$2 ~ /;|^(for|while|if) \(/' $work/spans | cut -d'|' -f2 | sort -u >$work/statements
  cat >$work/listed <<'END'
__shared__ alignas(128) float tile[..];
__shared__ uint64_t bar;
cluster_arrive_relaxed(); cluster_wait();
extern __shared__ __align__(128) float4 stages[];
for (tile = blockIdx.x; tile < tiles; tile += gridDim.x)
for (unsigned i = n; i >= 0; i--)
if (best < value)
if (blockIdx.x == 0 && threadIdx.x == 0) printf(..)
while (!done)
END
  LC_ALL=C sort -o $work/listed $work/listed
  LC_ALL=C sort $work/statements | LC_ALL=C comm -23 - $work/listed |
    sed 's/^/statements in a sentence, not in the list of docs-code-test.sh: /'
  # A function that a page names must exist in the interface, in CUDA, in the files that students get, or in a
  # kernel of the pages of rules, which have been compiled.
  awk -F'|' '{
      rest = $2
      while (match(rest, /[A-Za-z_][A-Za-z_0-9]*(<[^>]*>)?\(/)) {
        name = substr(rest, RSTART, RLENGTH - 1)
        sub(/<.*/, "", name)
        print $1 "|" name
        rest = substr(rest, RSTART + RLENGTH)
      }
    }' $work/spans |
    sort -t'|' -u -k2,2 | while IFS='|' read -r place name; do
    case $name in
    if | for | while | alignas | assert | printf | __*__ | __sync* | __trap) continue ;;
    __threadfence | __nanosleep | __ldc[agv] | __ldg | atomic[A-Z]*) continue ;;
    cudaMalloc* | cudaMemcpy* | cudaFuncSetAttribute | cudaDeviceSetLimit) continue ;;
    cuTensorMapEncodeTiled | cudaGridDependencySynchronize) continue ;;
    cudaTriggerProgrammaticLaunchCompletion) continue ;;
    esac
    grep -rqw "$name" interface labs/*/*.cu docs/guide/samples build/corpus/src/rules ||
      echo "$place: there is no function $name"
  done
}

# shellcheck disable=SC2086
examine $pages >$work/found
if [ -s $work/found ]; then
  cat $work/found
  status=1
fi

# The quotations are up to date.
for page in $pages; do
  awk -f docs/machinery/quote.awk "$page" >$work/quoted || status=1
  diff "$page" $work/quoted ||
    { echo "$page quotes something else than its files say (make docs-verdict fills it in)"; status=1; }
done

# The test itself works: it reports planted faults.
notices() {
  printf '%s\n' "$2" >$work/planted.md
  examine $work/planted.md | grep -q "$1" || { echo "does not notice: $1"; status=1; }
}
notices 'quoted from no file' '```cuda
int x;
```'
notices 'which no test compiles' '```{.cuda file="README.md"}
```'
notices 'indented code' '    wait(&bar, 0);'
# shellcheck disable=SC2016 # these are Markdown's backticks
{
  notices 'statements in a sentence' 'then `arrive(&bar); wait(&bar, 0);` follows'
  notices 'no function frobnicate' 'then `frobnicate(&bar)` follows'
}
exit $status
