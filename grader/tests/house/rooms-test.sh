#!/bin/sh
# In: the tables of rooms in grader/README.md, our sources, and the objects that the compiler made of them.
# Out: exit 0 if every include and every call leads to the same room or to one below it; else each offending
# line, by file and line.
# The idea: includes are read from the sources, calls from the objects' symbols, so no list of arrows is kept
# by hand. Last, a line that leads upward is planted in a copy, to see that it is found.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "room rank" for each first cell in backquotes below the heading $1 of the page.
rooms_below() {
  awk -v heading="$1" '
    /^## / { inside = $0 == heading }
    inside && /^\| `/ { split($0, cell, "`"); print cell[2], ++rank }' grader/README.md
}
rooms_below '## The rooms of grader/' >"$work/outer"
rooms_below '## The rooms of grader/virtual-hopper/' >"$work/inner"

# Every folder below $1 is in the table $2, and every row of the table is a folder.
same_folders() {
  find "$1" -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,' | grep -vxE 'setup|make|tests' |
    sort >"$work/folders"
  cut -d' ' -f1 "$2" | sort | diff "$work/folders" - ||
    { echo "grader/README.md: its rooms of $1 are others than the folders there"; exit 1; }
}
same_folders grader "$work/outer"
same_folders grader/virtual-hopper "$work/inner"

# FROM-FILE LINE TO-FILE, for each include of one of our files, below $1.
list_includes() {
  (cd "$1" && grep -rnE '^#include "' grader --include='*.[ch]') | grep -v '^grader/tests/' |
    sed -E 's,^([^:]*):([0-9]*):#include "([^"]*)".*,\1 \2 grader/\3,'
}

# FROM-FILE SYMBOL TO-FILE, for each symbol of ours that one object wants and another one defines.
list_calls() {
  find build/obj/grader -name '*.o' ! -path '*/tests/*' | sort >"$work/objects"
  [ "$(wc -l <"$work/objects")" -gt 200 ] ||
    { echo 'build/obj has hardly an object: build first' >&2; return 1; }
  while read -r object; do
    file=${object#build/obj/}
    [ -e "${file%.o}.c" ] || continue # of a source that is gone
    nm "$object" | awk -v file="${file%.o}.c" '
      NF == 3 && $2 ~ /[TDBRVWCi]/ { print "D", file, $3 }
      NF == 2 && $1 ~ /[UwV]/ { print "U", file, $2 }'
  done <"$work/objects" | awk '
    $1 == "D" { defined[$3] = $2; next }
    { from[++n] = $2; wanted[n] = $3 }
    END {
      for (i = 1; i <= n; i++)
        if (wanted[i] in defined) print from[i], wanted[i], defined[wanted[i]]
    }'
}

# A file in no room (a main, grader/*.h) may be used by all rooms, and may use all rooms.
cat >"$work/rank.awk" <<'AWK'
function outer_of(file, part) { split(file, part, "/"); return part[2] }
function inner_of(file, part) {
  split(file, part, "/")
  return part[2] == "virtual-hopper" && part[4] != "" ? part[3] : ""
}
FILENAME == outer { outer_rank[$1] = $2; next }
FILENAME == inner { inner_rank[$1] = $2; next }
{
  a = outer_of($1); b = outer_of($3)
  if (a == "virtual-hopper" && b == a) {
    a = inner_of($1); b = inner_of($3)
    if (a == "" || b == "" || inner_rank[b] >= inner_rank[a]) next
  } else if (!(a in outer_rank) || !(b in outer_rank) || $1 ~ /-main\.c$/ ||
             outer_rank[b] >= outer_rank[a]) next
  print $1, $2, $3, a, b
}
AWK
upward() {
  awk -v outer="$work/outer" -v inner="$work/inner" -f "$work/rank.awk" "$work/outer" "$work/inner" "$1"
}

includes_upward() {
  upward "$1" | while read -r from line to a b; do
    echo "$from:$line: $a/ includes $to of $b/, which stands above it"
  done
}
calls_upward() {
  upward "$1" | while read -r from symbol to a b; do
    line=$(grep -nw "$symbol" "$from" | head -n 1 | cut -d: -f1)
    echo "$from:${line:-?}: $a/ calls $symbol of $b/ ($to), which stands above it"
  done
}

# The shim lives in the program's process: of the device it may have the protocol's header and base/ alone.
shim_strays() {
  awk '$1 ~ /^grader\/virtual-hopper\/shim\// && $3 ~ /^grader\/virtual-hopper\// &&
       $3 !~ /\/(shim|base)\// && $3 !~ /\/server\/protocol\.h$/ {
         print $1 ":" $2 ": the shim includes " $3 ", which belongs to the process of the device" }' "$1"
}

# What the page names is there: a file of a room, as room/file, below grader/ or grader/virtual-hopper/.
missing_files() {
  tr '`' '\n' <grader/README.md | grep -xE '[a-z-]+/[a-z0-9.-]+\.(c|h|def)' | sort -u | while read -r file; do
    [ -e "grader/$file" ] || [ -e "grader/virtual-hopper/$file" ] ||
      echo "grader/README.md: there is no $file"
  done
}

list_includes . >"$work/includes"
list_calls >"$work/calls"
{
  includes_upward "$work/includes"
  calls_upward "$work/calls"
  shim_strays "$work/includes"
  missing_files
} >"$work/found"
cat "$work/found"
echo "$(wc -l <"$work/includes") includes and $(wc -l <"$work/calls") calls between files"
[ ! -s "$work/found" ] || exit 1

# A planted include and a planted call are found in the same way.
mkdir -p "$work/planted/grader/virtual-hopper/base"
printf '// one\n#include "virtual-hopper/order/order.h"\n' >"$work/planted/grader/virtual-hopper/base/arena.c"
list_includes "$work/planted" >"$work/includes"
includes_upward "$work/includes" | grep -q '^grader/.*/base/arena.c:2: base/ includes .* of order/' ||
  { echo 'a planted include that leads upward is not found'; exit 1; }
echo 'grader/report/text.c report_text grader/cli/arguments.c' >"$work/calls"
calls_upward "$work/calls" | grep -q '^grader/report/text.c:[0-9]*: report/ calls report_text of cli/' ||
  { echo 'a planted call that leads upward is not found'; exit 1; }
