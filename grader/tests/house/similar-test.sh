#!/bin/sh
# In: a built kit. Out: exit 0 if `grader similar` names all pairs of a class that were copied (renamed,
# reordered, laid out anew, with other comments, merged from two, from an earlier class), and no other pair.
# The idea: the correct kernels of tests/clean stand for independent solutions: one author's, so more alike
# than a class's.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  echo "$1"
  failed=1
}

python3 - "$work" <<'END' || exit 1
import os, re, sys

work = sys.argv[1]
clean = "grader/tests/clean"
# Forty that were not made from one another.
names = """aliased-buffer arrive-for-the-warp barrier-memory-reused bulk-reduce cg-memcpy-async
cluster-leader-loads cluster-reduction-tree cluster-rows-columns consumer-stores cp-async-mbarrier
distributed-shared dynamic-carved fence-and-flag grid-sync-then-bulk interleaved-pieces
lane-zero-produces libcu-barrier-completion libcu-pipeline-roles libcu-ptx-ring map-by-earlier-kernel
matrix-ring mixed-widths named-barriers one-waits-for-all output-ring persistent-prefetch
polls-for-others programmatic-cluster programmatic-one-waits reduce-into-own-zeros
remote-writes-then-store ring-with-stores semaphore-turns split-expect-arrive stream-k
tensor-map-published tensor-swizzled-transpose tensormap-for-stores tree-reduction two-kernels""".split()
text = {name: open(f"{clean}/{name}.cu").read() for name in names}
given = "".join(open(f"interface/{name}").read() for name in os.listdir("interface"))
given += open("labs/lab9/3-phase-reuse.cu").read()
kept = set(re.findall(r"[A-Za-z_]\w*", given)) | {"if", "for", "while", "else", "return", "true", "false"}


def put(grades, student, content):
    os.makedirs(f"{work}/{grades}/submissions/{student}", exist_ok=True)
    open(f"{work}/{grades}/submissions/{student}/3-phase-reuse.cu", "w").write(content)


def renamed(content):
    for count, name in enumerate(sorted(set(re.findall(r"[A-Za-z_]\w*", content)) - kept)):
        content = re.sub(rf"\b{name}\b", f"other{count}", content)
    return content


def reordered(content):
    head, *parts = re.split(r"\n\n(?=\S)", content)
    return "\n\n".join([head] + parts[::-1])


def laid_out(content):
    return re.sub(r"\s*([{};,])\s*", r"\1\n        ", re.sub(r"//.*", "", content))


def with_comments(content):
    return "\n".join(line + (f" // my remark {n}" if line.endswith(";") else "")
                     for n, line in enumerate(re.sub(r"//.*", "", content).split("\n")))


for name in names:
    put("now", name, text[name])
bases = [name for name in names if 1500 < len(text[name])][:7]
for base, change in zip(bases, [renamed, reordered, laid_out, with_comments]):
    put("now", f"{change.__name__}-{base}", change(text[base]))
# Two took the same half of a file; so it counts less, but stands in one piece.
for name in names:
    put("less", name, text[name])
plain = {name: re.sub("//.*", "", text[name]) for name in ("cluster-leader-loads", "matrix-ring", "stream-k")}
first, *seconds = plain
for second in seconds:
    merged = plain[first][:len(plain[first]) // 2] + plain[second][len(plain[second]) // 2:]
    put("less", f"with-{second}", renamed(merged))
half = [text[name][:len(text[name]) // 2] if n == 0 else text[name][len(text[name]) // 2:]
        for n, name in enumerate(bases[4:6])]
put("now", "merged", "\n".join(half))
put("now", "copied", renamed(laid_out(text[bases[6]])))
put("before", "last-year", text[bases[6]])
pairs = {frozenset([base, f"{change.__name__}-{base}"])
         for base, change in zip(bases, [renamed, reordered, laid_out, with_comments])}
pairs |= {frozenset([base, "merged"]) for base in bases[4:6]}
pairs |= {frozenset([bases[6], "copied"]), frozenset([bases[6], f"last-year ({work}/before)"]),
          frozenset(["copied", f"last-year ({work}/before)"])}
with open(f"{work}/expected", "w") as out:
    for pair in pairs:
        print(*sorted(pair), sep=", ", file=out)
END

build/bin/grader similar lab9/3-phase-reuse "$work/now" --against "$work/before" >"$work/said" 2>&1 ||
  complain "exit $?"
sed -n 's,^  \(.*\): [^:]*$,\1,p' "$work/said" |
  awk -F', ' '{ if ($1 > $2) print $2 ", " $1; else print $1 ", " $2 }' | LC_ALL=C sort >"$work/found"
LC_ALL=C sort "$work/expected" | diff - "$work/found" ||
  complain 'expected pairs (<) and found ones (>) differ'

build/bin/grader similar lab9/3-phase-reuse "$work/less" >"$work/said" 2>&1 || complain "exit $?"
for pair in 'cluster-leader-loads, with-matrix-ring' 'cluster-leader-loads, with-stream-k' \
  'matrix-ring, with-matrix-ring' 'stream-k, with-stream-k' 'with-matrix-ring, with-stream-k'; do
  grep -q "^  $pair: " "$work/said" || complain "merged from two: $pair are not found"
done
[ "$(grep -c '^  .*, .*: ' "$work/said")" = 5 ] || complain "other pairs: $(cat "$work/said")"

# A page without scripts that shows both sides, and hostile text as text.
mkdir -p "$work/odd/submissions/a" "$work/odd/submissions/b" "$work/odd/submissions/c"
{ echo '</pre><script>alert(1)</script>'; cat solutions/lab9/3-phase-reuse.cu; } \
  >"$work/odd/submissions/a/3-phase-reuse.cu"
cp "$work/odd/submissions/a/3-phase-reuse.cu" "$work/odd/submissions/b/"
: >"$work/odd/submissions/c/3-phase-reuse.cu"
build/bin/grader similar lab9 "$work/odd" | grep -q 'a, b: the same file' ||
  complain 'the same file is not named'
grep -q '&lt;script&gt;alert' "$work/odd/similar.html" || complain 'the page does not show the text'
if grep -q '<script' "$work/odd/similar.html"; then complain 'the page has a script'; fi

# What is no plain file, or too large, is named, and the others are compared. A pipe keeps nobody waiting, a
# link leads to no file of the instructor's, and no name reaches a terminal as it is.
file=3-phase-reuse.cu
esc=$(printf 'x\033[2Jy')
for name in plain "$esc" pipe loop link device large folder; do mkdir -p "$work/nasty/submissions/$name"; done
for name in plain "$esc" large; do cp solutions/lab9/$file "$work/nasty/submissions/$name/"; done
mkfifo "$work/nasty/submissions/pipe/$file"
ln -s $file "$work/nasty/submissions/loop/$file"
ln -s "$work/odd/submissions/a/$file" "$work/nasty/submissions/link/$file"
ln -s /dev/zero "$work/nasty/submissions/device/$file"
mkdir "$work/nasty/submissions/folder/$file"
truncate -s 1G "$work/nasty/submissions/large/$file"
timeout 1000 build/bin/grader similar lab9/3-phase-reuse "$work/nasty" >"$work/said" 2>&1 ||
  complain "nasty: exit $?, $(cat "$work/said")"
grep -q '^  plain, x?\[2Jy: the same file$' "$work/said" || complain "nasty: $(cat -v "$work/said")"
for name in pipe loop link device large folder; do
  for where in "$work/said" "$work/nasty/similar.html"; do
    grep -q "nasty/submissions/$name/$file: " "$where" || complain "nasty: $where does not name $name"
  done
done

# Whatever bytes a file has, reading it touches no memory but its own.
mkdir -p "$work/noise/submissions"
python3 - "$work/noise/submissions" <<'END'
import os, random, sys

random.seed(1)
signs = ['"', "'", "\\", "/*", "*/", "//", "\n", "#include", "\0", "x", "9", "{", "\xff", "#pragma once"]
for number in range(60):
    os.mkdir(f"{sys.argv[1]}/{number}")
    with open(f"{sys.argv[1]}/{number}/3-phase-reuse.cu", "w", encoding="latin-1") as out:
        out.write("".join(random.choice(signs) for _ in range(random.randrange(200))))
END
build/asan/bin/grader similar lab9/3-phase-reuse "$work/noise" >"$work/said" 2>&1 ||
  { complain 'noise: not 0'; cat "$work/said"; }

# Two files of a MiB of signs, as large as one may be. The limit is of processor time, and fifty times what is
# used: comparing each token of one with each of the other takes hours.
mkdir -p "$work/large/submissions/a" "$work/large/submissions/b"
python3 - "$work/large/submissions" <<'END'
import random, sys

random.seed(3)
text = " ".join(random.choice("+-*/<>;,(){}") for _ in range(520000))
for name in "ab":
    with open(f"{sys.argv[1]}/{name}/3-phase-reuse.cu", "w", encoding="latin-1") as out:
        out.write(text)
END
prlimit --cpu=100 build/bin/grader similar lab9/3-phase-reuse "$work/large" >"$work/said" 2>&1 ||
  complain "two large files: exit $?"

# Wrong use is told, and nothing is written.
for words in lab9 'lab9 .' "lab77 $work/odd" "lab9/nothing $work/odd" "lab9 $work/odd --against"; do
  # shellcheck disable=SC2086 # several words
  build/bin/grader similar $words >"$work/said" 2>&1
  [ $? = 2 ] || complain "similar $words: no exit 2"
  grep -q '^grader: ' "$work/said" || complain "similar $words: no message"
done
exit $failed
