#!/bin/sh
# In: the guide's chapters. Out: what a chapter lacks; exit 1 if anything.
# The idea: a chapter begins with what its reader will be able to do, says where its rules come from, and ends
# with questions, two at least, whose answers fold out. Sources name the version of the PTX ISA, since its
# sections are renumbered, and the sections are looked up in a list.
set -eu
cd "$(dirname "$0")/../../.."
work=build/docs-work/guide
mkdir -p $work
status=0

# chapter FILE ..: what is wrong with their form.
chapter() {
  awk '
    function complain(what) { print page ": " what; bad = 1 }
    function close_page() {
      if (page == "") return
      if (!goal) complain("must begin with \"After this chapter you ..\"")
      if (!reference) complain("has no Reference")
      if (!asked) complain("must end with a block of questions")
      else {
        if (questions < 2) complain(questions + 0 " questions, not 2 or more")
        if (answers != questions) complain(answers + 0 " answers that fold out, not " questions + 0)
        if (last != ":::") complain("must end with its questions")
      }
    }
    FNR == 1 { close_page(); page = FILENAME; goal = reference = asked = inside = questions = answers = 0 }
    FNR == 3 && /^After this chapter you / { goal = 1 }
    /^## Reference$/ { reference = 1 }
    /^::: question$/ { asked = inside = 1 }
    /^:::$/ { inside = 0 }
    inside && /^[0-9]+\. / { questions++ }
    inside && /<details><summary>Answer<\/summary>/ { answers++ }
    NF { last = $0 }
    END { close_page(); exit bad }' "$@"
}
chapter docs/guide/*.md || status=1

# Every section that is cited exists, and is about what the page says.
cites() {
  awk -f docs/machinery/cites.awk docs/machinery/ptx-sections.txt "$@"
}
cites docs/guide/*.md || status=1

# The test itself works: it reports planted faults.
notices() {
  printf '%s\n' "$2" >$work/planted.md
  { chapter $work/planted.md && cites $work/planted.md; } >$work/said || :
  grep -qF -- "$1" $work/said || { echo "does not notice: $1"; status=1; }
}
# shellcheck disable=SC2016 # these are Markdown's backticks
whole='# Title

After this chapter you can read.

## Reference

- PTX ISA 9.1, section 9.7.19.4 `trap`

::: question
1. One?
   <details><summary>Answer</summary>
2. Two?
   <details><summary>Answer</summary>
:::'
printf '%s\n' "$whole" >$work/whole.md
chapter $work/whole.md || { echo 'a chapter that has everything is refused'; status=1; }
notices 'must begin with' "$(echo "$whole" | sed '3d')"
notices 'has no Reference' "$(echo "$whole" | sed '/^## Reference/d')"
notices 'must end with a block' "$(echo "$whole" | sed '/^::: question/d')"
notices '1 questions, not 2' "$(echo "$whole" | sed '/^2\. /d')"
notices '1 answers that fold out' "$(echo "$whole" | sed '13d')"
notices 'must end with its questions' "$whole
More text."
notices 'is not in ptx-sections.txt' "$(echo "$whole" | sed 's/9.7.19.4/9.7.99/')"
notices 'must cite as' "$(echo "$whole" | sed 's/PTX ISA 9.1/PTX ISA/')"
exit $status
