# In: docs/contents. Out: one line per page, PART|SOURCE|PAGE|TITLE. The idea: a page that is named but not
# there, has no heading, or is named twice, ends the build.
function title_of(file,   line, title) {
  while ((getline line < file) > 0) {
    if (line ~ /^title: /) { title = substr(line, 8); gsub(/^"|"$/, "", title); break }
    if (line ~ /^# /) { title = substr(line, 3); sub(/ *\{[^}]*\}$/, "", title); break }
  }
  close(file)
  gsub(/`/, "", title)
  return title
}
function fail(what) {
  print "docs/contents:" FNR ": " what > "/dev/stderr"
  failed = 1
  exit
}
function page(source, name,   title) {
  title = title_of(source)
  if (title == "") fail(source " is missing or has no heading")
  if (name in named) fail(name " is there twice")
  named[name]
  print part "|" source "|" name "|" title
}
/^#/ || NF == 0 { next }
$1 == "part" { part = substr($0, 6); next }
$1 == "rules" {
  while (("ls docs/rules/*.md 2>/dev/null" | getline file) > 0) {
    name = file; sub(/.*\//, "", name); sub(/\.md$/, "", name)
    if (name != "README") page(file, "rule-" name)
  }
  next
}
NF == 2 { page($1, $2); next }
{ fail("must be `part TITLE`, `SOURCE PAGE` or `rules`") }
END { exit failed }
