#!/bin/sh
# In: all text files of the repository. Out: nothing, or FILE:LINE of each line longer than 110 columns; exit
# 1. The idea: every line fits into half a screen, in an editor and in a review. Columns are characters: a
# multiplication sign counts as one, though it is two bytes. Not checked is what a program wrote (expected
# outputs, quoted reports, pictures, the fuzzers' seeds), a table of foreign programs and what others have
# published (the licence, the schemas of other platforms).
set -eu
cd "$(dirname "$0")/../../.."
skipped='\.(expected|out|tar|table)$|^docs/pictures/|^LICENSE$|^grader/tests/formats/.*\.(json|xsd)$'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# too_long FILE ..: prints FILE:LINE and the length of each line that is too long. In Markdown two kinds of
# lines may be longer: the row of a table, since Pandoc wants each row in one line, and quoted output, which
# is what the program printed. A line with an address may be longer anywhere. The code of a handout has 80
# columns: a narrow page would hide the rest.
too_long() {
  LC_ALL=C awk -v limit=110 '
    FNR == 1 { quoted = 0; markdown = FILENAME ~ /\.md$/ }
    markdown && /^ *```/ { quoted = !quoted && /^ *```(text|\{\.text)/ }
    markdown && (quoted || /^\|/) { next }
    /https?:\/\// { next }
    {
      columns = $0
      gsub(/[\200-\277]/, "", columns) # the second and later bytes of a character
      code = FILENAME ~ /labs\/[^\/]*\/README\.md$/ && /^    /
      if (length(columns) <= (code ? 80 : limit)) next
      print FILENAME ":" FNR ": " length(columns) " columns"
      bad = 1
    }
    END { exit bad }' "$@"
}

git ls-files --cached --others --exclude-standard | grep -Ev "$skipped" |
  while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/files"
status=0
# Every part of the repository is among them.
for part in Makefile README.md docs/ labs/ solutions/ interface/ grader/make/ grader/setup/ \
  grader/tests/unit/ grader/tests/mutants/ grader/virtual-hopper/; do
  grep -q "^$part" "$work/files" || { echo "no file of $part is checked"; status=1; }
done
# shellcheck disable=SC2046 # no file name has a blank
too_long $(cat "$work/files") || status=1

# The test itself works: it reports planted faults.
fail() {
  echo "$1"
  status=1
}
row=$(printf '%0111d' 0)
signs=$(printf '%0100d' 0 | sed 's/0/×/g')
printf 'short\n%s\n' "$row" >"$work/long.c"
too_long "$work/long.c" >"$work/said" && fail 'does not notice a line of 111 columns'
grep -qx "$work/long.c:2: 111 columns" "$work/said" || fail 'does not name file and line'
fence='```'
printf '%s\n' "| $row |" "${fence}text" "$row" "$fence" "$signs" "<https://example.org/$row>" >"$work/fine.md"
too_long "$work/fine.md" || fail 'accuses a table, quoted output, wide characters or an address'
mkdir -p "$work/labs/x"
printf '    %077d\n' 0 >"$work/labs/x/README.md"
too_long "$work/labs/x/README.md" >"$work/said" && fail "does not notice wide code in a handout"
printf '%s\n' "${fence}text" quoted "$fence" "$row" >"$work/after.md"
too_long "$work/after.md" >"$work/said" && fail 'does not notice a long line after quoted output'
exit $status
