#!/bin/sh
# In: build/docs as make leaves it. Out: what is wrong with the site; exit 1 if anything is.
# The idea: links, anchors, text alternatives and the PDF's outline are checked in the files that readers get,
# not in the sources.
set -eu
cd "$(dirname "$0")/../../.."
site=build/docs
status=0
fail() {
  echo "$1"
  status=1
}

[ "$(find $site -maxdepth 1 -name '*.html' | wc -l)" -gt 20 ] || fail "$site holds too few pages"

# Page by page: identifiers once each, links within the site, pictures with words, nothing fetched from
# elsewhere.
for page in "$site"/*.html; do
  printf '%s ' "${page##*/}"
  tr '\n' ' ' <"$page"
  echo
done | awk '
  function complain(what) { print what; bad = 1 }
  {
    page = $1; pages[page]; rest = $0
    while (match(rest, / id="[^"]*"/)) {
      id = substr(rest, RSTART + 5, RLENGTH - 6); rest = substr(rest, RSTART + RLENGTH)
      if ((page "#" id) in ids) complain(page ": id " id " is there twice")
      ids[page "#" id]
    }
    rest = $0
    while (match(rest, /href="[^"]*"/)) {
      link = substr(rest, RSTART + 6, RLENGTH - 7); rest = substr(rest, RSTART + RLENGTH)
      if (link !~ /^(https?|data|mailto):/) links[page " " link]
    }
    rest = $0
    while (match(rest, /<img[^>]*>/)) {
      picture = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      if (picture !~ /alt="[^"][^"]/) complain(page ": a picture without words: " picture)
    }
    if ($0 ~ /–/) complain(page ": a dash, where an option begins with two hyphens")
    if ($0 ~ /src="(https?:)?\/\//) complain(page ": something is fetched from elsewhere: " $0)
    headings[page] = gsub(/<h1/, "<h1"); current[page] = gsub(/aria-current="page"/, "&")
  }
  END {
    for (key in links) {
      split(key, part, " "); link = part[2]; file = link; sub(/#.*/, "", file); if (file == "") file = part[1]
      if (file ~ /\.html$/ && !(file in pages)) complain(part[1] ": the link " link " leads to no page")
      if (link ~ /#/) {
        anchor = link; sub(/.*#/, "", anchor)
        if (!((file "#" anchor) in ids)) complain(part[1] ": the link " link " leads to no place")
      } else if (file !~ /\.html$/ && system("test -e build/docs/" file) != 0)
        complain(part[1] ": " link " is not there")
    }
    for (page in pages) {
      if (headings[page] != 1) complain(page ": " headings[page] + 0 " headings of the first level")
      if (current[page] != 1) complain(page ": not in the contents")
    }
    exit bad
  }' || status=1

grep -oh 'src="[^"]*\.svg"' $site/*.html | cut -d'"' -f2 | sort -u >build/docs-work/pictures
while read -r picture; do
  [ -e "$site/$picture" ] || fail "the picture $picture is not there"
  grep -q '<title>' "$site/$picture" || fail "$picture has no title"
  grep -q 'prefers-color-scheme' "$site/$picture" || fail "$picture has no colours for dark screens"
done <build/docs-work/pictures

# Every function of the interface and every rule is described.
sed -n 's/^__device__ static __forceinline__ [a-z0-9_]* \([a-z0-9_]*\)(.*/\1/p' interface/*.cuh |
  sort -u >build/docs-work/functions
while read -r function; do
  grep -q "id=\"$function\"" $site/interface.html || fail "$function is not in the reference"
done <build/docs-work/functions
build/bin/grader explain | sed -n 's/^  \([a-z-]*\) .*/\1/p' >build/docs-work/rule-names
while read -r rule; do
  grep -q "id=\"$rule\"" $site/rules.html || fail "the rule $rule is not on the page of rules"
done <build/docs-work/rule-names

# The quoted output is what the grader prints today, and the diagrams are what their programs draw.
shown() {
  sh docs/machinery/verdict.sh "$1" >"build/docs-work/$2.txt"
  diff "docs/pictures/$2.txt" "build/docs-work/$2.txt" ||
    fail "the grader says something else than docs/pictures/$2.txt: make docs-verdict"
}
shown first-try verdict
shown nothing-done nothing-done
grep '  falls short$' docs/ten-minutes.md | while read -r line; do
  grep -qF "$line" docs/pictures/verdict.txt ||
    echo "docs/ten-minutes.md shows another verdict than docs/pictures/verdict.txt: $line"
done | grep . && status=1
build/docs-work/terminal <docs/pictures/verdict.txt | cmp - docs/pictures/verdict.svg ||
  fail 'docs/pictures/verdict.svg shows something else: make docs-verdict'
for diagram in docs/diagrams/*.c; do
  name=$(basename "$diagram" .c)
  cmp "build/docs-work/diagrams/$name.svg" "docs/pictures/$name.svg" ||
    fail "docs/pictures/$name.svg is not what $diagram draws: make docs-verdict"
done

# The PDF: an outline with every chapter, and as many pages as a book has.
pdf=$site/tma-lab.pdf
head -c 5 $pdf | grep -q '%PDF-' || fail "$pdf is no PDF"
grep -aq '/Outlines' $pdf || fail "$pdf has no outline"
chapters=$(wc -l <build/docs-work/contents)
entries=$(grep -ac '/Title' $pdf)
[ "$entries" -gt "$chapters" ] || fail "$pdf has an outline of $entries entries for $chapters chapters"
exit $status
