# In: a page. Out: the same page, with each block ```{.cuda file="F" part="P"} filled with what stands in F
# between `// [P]` and `// [/P]` (all of F without part), moved left as far as possible. The idea: a page can
# be read as plain text in its folder, and tests compare it with this.
function fail(what) { print FILENAME ":" FNR ": " what > "/dev/stderr"; failed = 1; exit 1 }
function attribute(name,   value) {
  if (!match($0, name "=\"[^\"]*\"")) return ""
  value = substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3)
  return value
}
function quote(file, part,   line, inside, n, i, least, lines, there) {
  inside = part == ""; least = 999
  while ((getline line < file) > 0) {
    there = 1
    if (line ~ /^ *\/\/ \[\/?[a-z0-9-]+\]$/) {
      sub(/^ *\/\/ /, "", line)
      if (line == "[" part "]") inside = 1
      if (line == "[/" part "]") inside = 0
    } else if (inside) {
      lines[++n] = line
      if (match(line, /[^ ]/) && RSTART - 1 < least) least = RSTART - 1
    }
  }
  close(file)
  if (!there) fail("there is no file " file)
  if (!n) fail(file " has no part [" part "]")
  for (i = 1; i <= n; i++) print substr(lines[i], least + 1)
}
skipping { if (/^```$/) skipping = 0; else next }
{ print }
/^```\{.*file="/ { quote(attribute("file"), attribute("part")); skipping = 1 }
END { if (!failed && skipping) fail("a block that is never closed") }
