#!/bin/sh
# In: a lab and the archive to write. Out: the students' archive, which unpacks to tma-LAB/; exit 1 and no
# archive if it would hold anything that students must not see.
# The idea: the whole kit goes in, except for what is named here. Then handout-check.sh searches the finished
# archive by content; it doesn't know this list.
#   handout.sh LAB [ARCHIVE]      SOURCE_DATE_EPOCH gives the files' time; the same files make the same bytes
set -eu
cd "$(dirname "$0")/../.."
lab=${1:?handout.sh LAB [ARCHIVE]}
archive=${2:-build/handout/tma-$lab.tar.gz}
[ -e "labs/$lab/lab.cfg" ] ||
  { echo "handout: there is no lab $lab: labs/$lab/lab.cfg is missing" >&2; exit 2; }
case $lab in *[!a-zA-Z0-9_-]*) echo "handout: $lab: letters, digits, - and _ only" >&2; exit 2 ;; esac

[ ! -d "$archive" ] || { echo "handout: -o $archive: is a folder; name the archive to write" >&2; exit 2; }
mkdir -p "$(dirname "$archive")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Left out: answers and hidden cases, the tests (right and wrong kernels by the hundred), and what is for
# instructors.
students_files() {
  sh grader/setup/handout-files.sh "$lab" |
    grep -v -e '^solutions/' -e '^grader/hidden/' -e '^grader/tests/' -e '^docs/instructor/' \
      -e '^docs/developer/' -e '^grader/README\.md$' -e '^docs/measurements' -e '^\.ci/' \
      -e '^README\.md$' -e '^grader/setup/derive-labs\.sh$' -e '^grader/setup/handout' \
      -e '^grader/setup/gradescope' -e '^grader/setup/new-exercise' -e '^grader/setup/dead-links'
}

tree=$work/tma-$lab
mkdir "$tree"
students_files | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done >"$work/list"
# Two processes, and not two for each of a thousand files. Links become files.
tar --create --dereference --null --files-from "$work/list" --mode u+rw --file "$work/files.tar"
tar --extract --no-same-owner --directory "$tree" --file "$work/files.tar"
rm "$work/files.tar" "$work/list"
for file in "labs/$lab"/*.cu "labs/$lab/lab.cfg" "labs/$lab/$lab.h" "labs/$lab/README.md"; do
  [ -e "$tree/$file" ] || { echo "handout: $file is missing" >&2; exit 1; }
done
# What `make reset-N` puts back, and the headers that `make handin` need not pack.
mkdir -p "$tree/labs/$lab/.given"
for file in "labs/$lab"/*.cu "labs/$lab"/*.cuh; do
  [ ! -e "$tree/$file" ] || cp "$file" "$tree/labs/$lab/.given/"
done
title=$(sed -n 's/^title = "\(.*\)";$/\1/p' "labs/$lab/lab.cfg")
title=$(printf '%s' "${title:-$lab}" | sed 's/[,&\\]/\\&/g')
sed "s,@TITLE@,$title,; s/@LAB@/$lab/g" grader/setup/handout-readme.md >"$tree/README.md"
# Pages without links to what isn't here: other labs, and what is for instructors.
find "$tree" -name '*.md' -exec awk -v root="$tree" -f grader/setup/dead-links.awk {} +
# The contents of the docs, without pages that aren't here.
if [ -e "$tree/docs/contents" ]; then
  awk -v tree="$tree" '
    /^part / { part = $0; next }
    $1 ~ /^(docs|labs)\// { if ((getline line < (tree "/" $1)) < 0) next; close(tree "/" $1) }
    part { print ""; print part; part = "" }
    { print }' docs/contents >"$tree/docs/contents"
fi

find "$tree" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
find "$tree" -name '*.sh' -exec chmod 755 {} +
LC_ALL=C tar --sort=name --format=ustar --mtime="@${SOURCE_DATE_EPOCH:-1767225600}" --owner=0 --group=0 \
  --numeric-owner \
  -C "$work" -cf "$work/handout.tar" "tma-$lab"
gzip -n -9 "$work/handout.tar"

mkdir "$work/unpacked"
tar -xzf "$work/handout.tar.gz" -C "$work/unpacked"
sh grader/setup/handout-check.sh "$lab" "$work/unpacked"
mv "$work/handout.tar.gz" "$archive"
echo "$archive: $(find "$tree" -type f |
  wc -l) files, $(($(wc -c <"$archive") / 1024)) KiB, nothing hidden in it"
