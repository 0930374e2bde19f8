# In: mutant files; tests, the folder of the tests; build, that of the corpus; beside mutate.awk with
# `-v many=yes`. Out: build/src/NAME.cu of each mutant that a program can run, written only if it has changed,
# and `mutant NAME SOURCE MUTANT` for each, with | between the words.
# The idea: one process for all mutants. With five for each of them, to find that nothing had changed took ten
# seconds.
function read_whole(file,   line, text) {
  while ((getline line < file) > 0) text = text line "\n"
  close(file)
  return text
}
# with_headers FOLDER: the text with the lab's own headers in it: each mutant needs its own copy.
function with_headers(text, folder,   count, lines, i, part, line, found, whole) {
  count = split(text, lines, "\n") - 1
  for (i = 1; i <= count; i++) {
    found = 0
    if (lines[i] ~ /^#include ".*\.cuh"$/) {
      split(lines[i], part, "\"")
      while ((getline line < (folder "/" part[2])) > 0) {
        found = 1
        if (line !~ /^#/) whole = whole line "\n"
      }
      close(folder "/" part[2])
    }
    if (!found) whole = whole lines[i] "\n"
  }
  return whole
}
# The function that a program calls: `extern "C" cudaError_t NAME(`.
function entry_of(from,   line, entry) {
  while ((getline line < from) > 0)
    if (line ~ /^extern "C" cudaError_t [a-z0-9_]*\(/) {
      sub(/^extern "C" cudaError_t /, "", line)
      sub(/\(.*/, "", line)
      entry = entry (entry == "" ? "" : "\n") line
    }
  close(from)
  return entry
}
function without_includes(file,   line, text) {
  while ((getline line < file) > 0)
    if (line !~ /^#include/) text = text line "\n"
  close(file)
  return text
}
# A solution's mutant, with the checks of its program; it is compiled MUTATED, so it need not be right on
# every size.
function with_checks(text, name, from, lab, checks,   entry, suffix) {
  entry = entry_of(from)
  suffix = name
  gsub(/-/, "_", suffix)
  return "#define MUTATED\n#define " entry " " entry "_" suffix "\n#include \"" lab ".h\"\n" \
    with_headers(text, "labs/" lab) without_includes(checks) "#undef " entry "\n#undef MUTATED\n"
}
# Those of grader/tests/clean include what is there by its name alone.
function from_here(text,   found) {
  while (match(text, /\n#include "(corpus|wgmma|stream-values)\.h"/)) {
    found = found substr(text, 1, RSTART + 10) "grader/tests/clean/" \
      substr(text, RSTART + 11, RLENGTH - 11)
    text = substr(text, RSTART + RLENGTH)
  }
  return found text
}
function make(mutant,   name, from, line, text, part, lab, checks, source) {
  name = mutant
  sub(/.*\//, "", name)
  sub(/\.mutant$/, "", name)
  while ((getline line < mutant) > 0)
    if (line ~ /^\/\/ from: /) from = substr(line, 10)
  close(mutant)
  text = mutate(mutant, from)
  if (failed) {
    print mutant ": see above"
    exit 1
  }
  if (from ~ /^solutions\//) { # where there is no program, only `grader validate` judges the mutant
    split(from, part, "/")
    lab = part[2]
    checks = from
    sub(/.*\//, "", checks)
    checks = tests "/programs/" lab "-" checks
    if ((getline line < checks) <= 0) return
    close(checks)
    text = with_checks(text, name, from, lab, checks)
  } else {
    text = substr(from_here("\n" text), 2)
  }
  source = build "/src/" name ".cu"
  if (read_whole(source) != text) {
    printf "%s", text > source
    close(source)
  }
  print "mutant|" name "|" source "|" mutant >> (build "/unsorted")
}
BEGIN {
  for (i = 1; i < ARGC; i++) make(ARGV[i])
  exit failed
}
