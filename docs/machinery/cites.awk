# In: ptx-sections.txt, sections of the PTX ISA 9.1 as they were looked up (NUMBER|WHAT), then pages. Out: every section that a page's Reference
# cites and that isn't in the list, or whose instruction is another one; exit 1. The idea: `9.7.13.4 `fence.proxy.async`` cites fence.
BEGIN { FS = "|" }
NR == FNR { title[$1] = $2; next }
FNR == 1 { inside = 0 }
/^## / { inside = $0 == "## Reference"; next }
!inside { next }
{ examine($0) }
END { exit bad }

function examine(rest,  cite, number, instruction) {
  while (match(rest, /[0-9]+(\.[0-9]+)+( `[a-z_.:]+)?/)) {
    cite = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    number = instruction = cite
    sub(/ .*/, "", number)
    if (!sub(/.*`/, "", instruction)) instruction = ""
    if (!(number in title)) complain("section " number " is not in ptx-sections.txt: look it up")
    else if (instruction != "" && !names(title[number], instruction)) complain("section " number " is about " title[number] ", not " instruction)
    cited++
  }
}

# The title names the instruction, perhaps without some of its last qualifiers.
function names(words, instruction,  i, n, word) {
  n = split(words, word, " ")
  for (; instruction != ""; sub(/[.:]*[a-z_]*$/, "", instruction))
    for (i = 1; i <= n; i++) if (word[i] == instruction) return 1
  return 0
}

function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
