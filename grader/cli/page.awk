# In: a page in Markdown, `width` in columns, and perhaps `section`: only the text below the heading
# "## SECTION". Out: the page for a terminal. The idea: paragraphs and lists are filled anew, code stays as it
# is, marks of mere typography are removed.

# Marks outside of `code`: **bold**, *slanted*, [text](link).
function plain(text,    part, count, i, start, size) {
  count = split(text, part, "`")
  for (i = 1; i <= count; i++) {
    if (i % 2) {
      gsub(/\*\*/, "", part[i])
      while (match(part[i], /\*[^* ][^*]*\*/))
        part[i] = substr(part[i], 1, RSTART - 1) substr(part[i], RSTART + 1, RLENGTH - 2) \
          substr(part[i], RSTART + RLENGTH)
      sub(/^\]\([^)]*\)/, "", part[i]) # of a link whose text is code
      sub(/\[$/, "", part[i])
      while (match(part[i], /\[[^]]*\]\([^)]*\)/)) {
        start = RSTART; size = RLENGTH
        part[i] = substr(part[i], 1, start - 1) \
          substr(part[i], start + 1, index(substr(part[i], start), "](") - 2) substr(part[i], start + size)
      }
    }
    text = i == 1 ? part[i] : text "`" part[i]
  }
  return text
}

# What has been gathered, filled.
function flush_text(    word, count, i, line) {
  if (gathered == "") return
  count = split(plain(gathered), word, /[ \t]+/)
  line = ""
  for (i = 1; i <= count; i++) {
    if (word[i] == "") continue
    if (line != "" && length(line) + 1 + length(word[i]) > width) { print line; line = "" }
    line = line == "" ? (i == 1 ? "" : hang) word[i] : line " " word[i]
  }
  if (line != "") print line
  gathered = ""; hang = ""
}

function heading(text, underline) {
  print text
  gsub(/./, underline, text)
  print text
}

BEGIN { if (width < 40) width = 80 }
section != "" && /^## / && !code { inside = $2 == section; next }
section != "" && !inside { next }
/^```/ { flush_text(); code = !code; next }
code { print "    " $0; next }
/^<!--/ { comment = 1 }
comment { if (/-->/) comment = 0; next }
/^:::/ { flush_text(); next }
/^# / { flush_text(); heading(substr($0, 3), "="); next }
/^#+ / { flush_text(); sub(/^#+ /, ""); heading($0, "-"); next }
/^[ \t]*$/ { flush_text(); print ""; next }
/^\|/ || /^    / { flush_text(); print plain($0); next }
/^(- |[0-9]+\. )/ { flush_text(); hang = substr("    ", 1, index($0, " ")) }
{ gathered = gathered == "" ? $0 : gathered " " $0 }
END { flush_text() }
