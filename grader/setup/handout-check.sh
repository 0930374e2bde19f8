#!/bin/sh
# In: a lab and a folder that students would get. Out: exit 1 and a list of findings, if the folder holds a
# part of the solutions, the hidden cases or the tests.
# The idea: search by content, not by name. Every answer of two lines or more is searched for line by line,
# without comments and blanks; so are the names and sizes of the hidden cases. A file that is a copy of one of
# ours is found by its checksum.
#   The hints of a lab may quote answers; that is what they are for.
set -eu
lab=$1
folder=$2
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# Whole files, whatever they are called now.
secret_files() { find solutions "grader/hidden/$lab" grader/tests -type f -size +0 2>/dev/null; }
{
  secret_files | tr '\n' '\0' | xargs -0 -r sha256sum | sed 's/^/secret /'
  find "$folder" -type f -size +0 -print0 | xargs -0 -r sha256sum | sed 's/^/given /'
} | awk '$1 == "secret" { name[$2] = $3 } $1 == "given" && ($2 in name) { print $3 ": is " name[$2] }' \
  >>"$found"
find "$folder" ! -type f ! -type d | sed 's/$/: is neither a file nor a folder/' >>"$found"
find "$folder" -name '*[[:cntrl:]]*' | tr '\n' '?' |
  sed 's/?*$/: has a name that is no text\n/' >"$found.names"
! grep -q / "$found.names" || cat "$found.names" >>"$found"

# Answers: every run of up to four lines within BEGIN SOLUTION and END SOLUTION. Shorter ones than 80
# characters are the idioms that the guide teaches: a fence, a meeting, `if (threadIdx.x == 0)`.
# In a lab in order, what one step asks for is given in the others: their skeletons aren't searched.
apart=
if grep -q '^in_order = true;' "labs/$lab/lab.cfg"; then apart="*/labs/$lab/*.cu"; fi
find "$folder" -type f ! -path "*/labs/$lab/hints/*" ! -path "$apart" | LC_ALL=C sort >"$found.list"
LC_ALL=C awk -v list="$found.list" '
  function plain(line) { sub(/\/\/.*/, "", line); gsub(/[ \t\r]/, "", line); return line }
  function keep_runs(  i) {
    for (i = 1; i + length_of_run - 1 <= count; i++) remember(i)
  }
  function remember(i,  j, text) {
    text = ""
    for (j = i; j < i + length_of_run; j++) text = text line_of[j] "\n"
    if (length(text) < 80) return
    secret[length_of_run, text] = FILENAME
    squeezed[squeeze(text)] = FILENAME
  }
  # Code that was put into one line, or into the strings of a program.
  function squeeze(text) { gsub(/\\n/, "", text); gsub(/[^A-Za-z0-9_]/, "", text); return text }
  /^ *\/\/ BEGIN SOLUTION$/ { inside = 1; count = 0; next }
  /^ *\/\/ END SOLUTION$/ {
    inside = 0
    length_of_run = count < 4 ? count : 4
    if (count >= 2) keep_runs()
    next
  }
  inside { text = plain($0); if (length(text) > 1) line_of[++count] = text }
  END {
    while ((getline file < list) > 0) look(file)
  }
  function look(file,  line, text, n, run, last, whole, told) {
    last[1] = last[2] = last[3] = ""
    while ((getline line < file) > 0) {
      if (line ~ /\/\/ (BEGIN|END) SOLUTION$/) print file ": holds a solution marker"
      text = plain(line)
      if (length(text) <= 1) continue
      whole = whole squeeze(text)
      run = text "\n"
      for (n = 2; n <= 4; n++) {
        run = last[n - 1] "\n" run
        if (!((n, run) in secret)) continue
        print file ": holds an answer of " secret[n, run] ": " line
        told = 1
      }
      last[3] = last[2]; last[2] = last[1]; last[1] = text
    }
    close(file)
    if (told) return
    for (text in squeezed)
      if (index(whole, text)) { print file ": holds an answer of " squeezed[text] ", in other lines"; return }
  }' solutions/"$lab"/*.cu >>"$found"

# Hidden cases: names in quotes, sizes as a list.
for cases in grader/hidden/"$lab"/*.cfg; do
  [ -e "$cases" ] || continue
  sed -n 's/.*name *= *"\([^"]*\)".*/"\1"/p' "$cases"
  sed -n 's/.*sizes *= *\[ *\([0-9, ]*[0-9]\) *\].*/[\1]\n{\1}/p' "$cases"
done | LC_ALL=C sort -u >"$found.words"
if [ -s "$found.words" ]; then
  # Which one: a public case may just have a hidden one's name.
  grep -rFn -f "$found.words" "$folder" | awk -v words="$found.words" '
    BEGIN { while ((getline word < words) > 0) known[++count] = word }
    { for (i = 1; i <= count; i++) if (index($0, known[i])) break
      print $0 "   <- " known[i] " of a hidden case" }' >>"$found" || true
  # Only sizes of several numbers, whatever stands between them: a number of a few digits occurs everywhere.
  sed -n 's/^{\(.*,.*\)}$/\1/p' "$found.words" |
    awk '{ digits = $0; if (gsub(/[0-9]/, "", digits) >= 6) print }' |
    sed 's/ *, */[^0-9.]{1,3}/g; s/.*/(^|[^0-9.])&([^0-9.]|$)/' >"$found.sizes"
  [ ! -s "$found.sizes" ] || grep -rEn -f "$found.sizes" "$folder" | grep -vF -f "$found.words" |
    sed 's/$/   <- of a hidden case/' >>"$found" || true
fi

# Files that can't be searched: files that are no text, packed files, and text that encodes bytes (base64,
# hexadecimal).
# With -z a text is one record, so \A is where the file begins.
packed='\A(?:\x1f\x8b|PK\x03\x04|\xfd7zXZ|BZh|\x28\xb5\x2f\xfd|7z\xbc\xaf|\x7fELF)'
LC_ALL=C grep -rlazP "$packed" "$folder" | LC_ALL=C sort >"$found.packed" || true
sed "s/\$/: is packed or a program, and can't be looked through/" "$found.packed" >>"$found"
LC_ALL=C grep -rlaP '\x00' "$folder" | grep -vxF -f "$found.packed" |
  sed "s/\$/: is no text, and can't be looked through/" >>"$found" || true
find "$folder" -type f -print0 |
  LC_ALL=C xargs -0 grep -nE '[A-Za-z0-9+/]{200}|^[[:space:]]*[A-Za-z0-9+/]{57,}={0,2}$' |
  cut -c1-160 | sed 's/$/   <- bytes as text/' >>"$found" || true
rm -f "$found.list" "$found.words" "$found.names" "$found.sizes" "$found.packed"

[ -s "$found" ] || exit 0
echo 'Not for students, but among what they would get:' >&2
sed "s,^$folder/,  ,; s,^,  ," "$found" | head -n 40 >&2
exit 1
