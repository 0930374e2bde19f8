#!/bin/sh
# In: the PDFs of build/docs. Out: what is wrong, page by page; exit 1 if anything is.
# The idea: poppler prints the place of every word. A word that ends beyond the right margin is a line of code
# that is too long. Each page but the cover has its number at its foot. No page ends in a heading, whose words
# are higher than those of the text: 12.8 points at least, where a line of text has 11. No word lies on
# another one, as in a picture that the PDF shows otherwise than a browser.
set -eu
cd "$(dirname "$0")/../../.."
words=build/docs-work/pdf-words.html
status=0
command -v pdftotext >/dev/null || {
  echo 'pdftotext is missing: make setup installs it (package poppler-utils)'
  exit 1
}
# look FILE PAGES WORDS: it has at least so many.
look() {
  pdftotext -bbox "$1" "$words"
  check "$2" "$3" <"$words" >"$words.said" && return
  sed "s,^,${1##*/}: ," "$words.said"
  return 1
}

# The margins are book.css's: 18 mm at the sides, 20 mm at the foot.
check() {
  awk -v least_pages="$1" -v least_words="$2" '
function attribute(name) {
  match($0, name "=\"[0-9.]*")
  return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0
}
function close_page() {
  if (page > 1 && lowest_height > 12 && here > 4) {
    print "page " page ": ends in a heading: " lowest; wrong = 1
  }
  if (page > 1 && !numbered) { print "page " page ": no page number at its foot"; wrong = 1 }
}
function smaller(a, b) { return a < b ? a : b }
function larger(a, b) { return a > b ? a : b }
# Against the last words before it: what is drawn together stands together in the file.
function look_for_collision(text,   i, wide, high) {
  for (i = larger(1, here_all - 40); i < here_all; i++) {
    wide = smaller(x1[i], x1[here_all]) - larger(x0[i], x0[here_all])
    high = smaller(y1[i], y1[here_all]) - larger(y0[i], y0[here_all])
    if (wide > 1.5 && high > 0.55 * smaller(y1[i] - y0[i], y1[here_all] - y0[here_all])) {
      print "page " page ": words lie on each other: " said[i] ", " text; wrong = 1
    }
  }
}
/<page / {
  close_page()
  page++
  numbered = words = 0
  lowest_at = lowest_height = 0
  here = here_all = 0
  right = attribute("width") - 18 / 25.4 * 72
  foot = attribute("height") - 20 / 25.4 * 72
}
/<word / {
  text = $0; sub(/^[^>]*>/, "", text); sub(/<.*/, "", text)
  if (attribute("xMax") > right + 1.5) { print "page " page ": beyond the margin: " text; wrong = 1 }
  if (attribute("yMin") > foot) {
    if (text == page) numbered = 1
    else { print "page " page ": below the foot: " text; wrong = 1 }
  }
  all++
  here_all++
  x0[here_all] = attribute("xMin"); x1[here_all] = attribute("xMax"); said[here_all] = text
  y0[here_all] = attribute("yMin"); y1[here_all] = attribute("yMax")
  look_for_collision(text)
  if (attribute("yMin") > 60) here++ # the title of a part stands alone on its page
  height = attribute("yMax") - attribute("yMin")
  if (attribute("yMin") <= foot && attribute("yMin") >= lowest_at) {
    lowest_at = attribute("yMin"); lowest_height = height; lowest = text
  }
}
END {
  close_page()
  if (page < least_pages || all < least_words) {
    print page " pages of " all " words: that is not the whole book"
    wrong = 1
  }
  exit wrong
}'
}

look build/docs/tma-lab.pdf 100 30000 || status=1
look build/docs/tma-lab-student.pdf 40 10000 || status=1
pdftotext build/docs/tma-lab-student.pdf - | grep -q 'grader grade' && {
  echo 'the students'\'' book has the reference in it'
  status=1
}

# The test itself works: a page that ends in a heading of either size is noticed, one that ends in text isn't;
# and so is a word on another one.
plant=build/docs-work/tma-lab/planted # beside the book and its style
{
  echo '<!DOCTYPE html><html lang="en"><title>planted</title><link rel="stylesheet" href="site.css">'
  echo '<link rel="stylesheet" href="book.css"><main><p>cover</p><p style="break-before: page">one two</p>'
  for level in 3 4; do
    echo "<h$level>Fine</h$level><p>three four</p>"
    echo "<h$level style=\"break-after: page\">orphan-$level</h$level><p>five six seven</p>"
  done
  echo '<p>eight <span style="margin-left: -3em">nine</span></p>'
  echo '</main></html>'
} >$plant.html
weasyprint -q $plant.html $plant.pdf
look $plant.pdf 4 10 >$plant.said && status=1
{
  printf 'planted.pdf: page %d: ends in a heading: orphan-%d\n' 2 3 3 4
  echo 'planted.pdf: page 4: words lie on each other: nine, eight'
} | diff - $plant.said || {
  echo 'does not notice a heading at the end of a page or words on each other, or finds what is none'
  status=1
}
exit $status
