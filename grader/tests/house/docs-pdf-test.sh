#!/bin/sh
# In: build/docs/tma-lab.pdf. Out: what is wrong, page by page; exit 1 if anything is.
# The idea: poppler prints the place of every word. A word that ends beyond the right margin is a line of code
# that is too long. Each page but the cover has its number at its foot.
set -eu
cd "$(dirname "$0")/../../.."
pdf=build/docs/tma-lab.pdf
words=build/docs-work/pdf-words.html
command -v pdftotext >/dev/null || {
  echo 'pdftotext is missing: make setup installs it (package poppler-utils)'
  exit 1
}
pdftotext -bbox "$pdf" "$words"
# The margins are book.css's: 18 mm at the sides, 20 mm at the foot.
awk '
function attribute(name) {
  match($0, name "=\"[0-9.]*")
  return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0
}
function close_page() {
  if (page > 1 && !numbered) { print "page " page ": no page number at its foot"; wrong = 1 }
}
/<page / {
  close_page()
  page++
  numbered = words = 0
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
}
END {
  close_page()
  if (page < 50 || all < 10000) {
    print page " pages of " all " words: that is not the whole book"
    wrong = 1
  }
  exit wrong
}' "$words"
