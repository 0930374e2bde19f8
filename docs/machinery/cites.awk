# In: ptx-sections.txt, sections of the PTX ISA 9.1 as they were looked up (NUMBER|WHAT), then pages. Out:
# what is wrong with a page's Reference; exit 1: a citation without the ISA's version, a section that isn't in
# the list, or one whose instruction is another one.
# The idea: in "PTX ISA 9.1, section 9.7.13.4 `fence.proxy.async`" the version comes first, since the numbers
# of sections change from version to version, and the section's title names the instruction.
BEGIN { FS = "|" }
NR == FNR { title[$1] = $2; next }
FNR == 1 { close_page() }
/^## / { inside = $0 == "## Reference"; next }
/^:::/ { inside = 0 }
inside { place = FILENAME ":" FNR; text = text " " $0 }
END { close_page(); exit bad }

# A citation may go on in the next line, so a page's Reference is examined as one text.
function close_page() {
  if (text != "") examine(text)
  text = ""
  inside = 0
}

function examine(rest,  cite, number, instruction) {
  gsub(/PTX ISA +9\.1, +sections? /, "", rest)
  if (rest ~ /PTX ISA/) complain("must cite as `PTX ISA 9.1, section ..`")
  while (match(rest, /[0-9]+(\.[0-9]+)+( +`[a-z_.:]+)?/)) {
    cite = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    number = instruction = cite
    sub(/ .*/, "", number)
    if (!sub(/.*`/, "", instruction)) instruction = ""
    if (!(number in title)) complain("section " number " is not in ptx-sections.txt: look it up")
    else if (instruction != "" && !names(title[number], instruction))
      complain("section " number " is about " title[number] ", not " instruction)
  }
}

# The title names the instruction, perhaps without some of its last qualifiers.
function names(words, instruction,  i, n, word) {
  n = split(words, word, " ")
  for (; instruction != ""; sub(/[.:]*[a-z_]*$/, "", instruction))
    for (i = 1; i <= n; i++) if (word[i] == instruction) return 1
  return 0
}

function complain(what) { print place ": " what; bad = 1 }
