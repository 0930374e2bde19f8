# In: the folder of an archive, and pages in it. Out: each page, in its place, without links to pages that
# the archive lacks. Such a link becomes plain words; a line of a table goes with it if it is in the index or
# leads to a lab.
#   awk -v root=FOLDER -f dead-links.awk FOLDER/docs/index.md ..
function is_missing(link,  target, line, answer) {
  sub(/#.*/, "", link)
  target = root "/" folder link
  answer = (getline line < target) < 0
  close(target)
  return answer
}

BEGIN {
  RS = "\001" # the whole page: a link's words may be on two lines
  ORS = ""
}

{
  page = ""
  path = substr(FILENAME, length(root) + 2)
  folder = path
  if (!sub(/\/[^\/]*$/, "/", folder)) folder = ""
  while (match($0, /\[[^][]*\]\([a-zA-Z0-9_.\/-]*\.md(#[^)]*)?\)/)) {
    found = substr($0, RSTART, RLENGTH)
    rest = substr($0, RSTART + RLENGTH)
    page = page substr($0, 1, RSTART - 1)
    at = index(found, "](")
    link = substr(found, at + 2, length(found) - at - 2)
    if (is_missing(link)) {
      found = substr(found, 2, at - 2)
      if (path == "docs/index.md" || link ~ /labs\//) found = found "\002" # marks its line
    }
    page = page found
    $0 = rest
  }
  count = split(page $0, line_of, "\n")
  for (i = 1; i <= count; i++) {
    if (line_of[i] ~ /^\|.*\002/) continue
    gsub(/\002/, "", line_of[i])
    if (i < count || line_of[i] != "") text_of[FILENAME] = text_of[FILENAME] line_of[i] "\n"
  }
}

END {
  for (file in text_of) {
    print text_of[file] >file
    close(file)
  }
}
