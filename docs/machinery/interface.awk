# In: docs/reference/mistakes, then the headers of interface/. Out: a Markdown page with every function: its
# PTX, what its comment says, its declaration, the rules that a mistake with it breaks. The idea: the header's
# comments are the reference, and functions under one comment are one entry.
function words(text) { # names as code, everything else as plain words
  gsub(/[<>*\[\]]/, "\\\\&", text)
  text = " " text
  while (match(text, /[ (,:]([a-zA-Z0-9~]*_[a-zA-Z0-9_]*|CUtensorMap)(\(\))?([ ,.:;)]|$)/)) {
    piece = substr(text, RSTART, RLENGTH)
    name = piece; sub(/^[ (,:]/, "", name); tail = ""
    if (name ~ /[ ,.:;)]$/ && name !~ /\(\)$/) {
      tail = substr(name, length(name))
      name = substr(name, 1, length(name) - 1)
    }
    result = result substr(text, 1, RSTART) "`" name "`"
    text = tail substr(text, RSTART + RLENGTH)
    if (text !~ /^[ (,:]/) { result = result substr(text, 1, 1); text = substr(text, 2) }
  }
  result = result text
  text = result; result = ""
  sub(/^ /, "", text)
  return text
}
function term(line,   at) { # "  bar      an mbarrier .." becomes an item of a list
  sub(/^ */, "", line); at = match(line, /  +/)
  return at ? "\n- **" substr(line, 1, at - 1) "**: " substr(line, at + RLENGTH) : "\n- " line
}
function flush_entry(   i, n, rules, mistakes, seen) {
  if (!entry_names) return
  n = split(entry_names, list, " ")
  print "\n### `" list[1] "`" (n > 1 ? " and its variants" : "") " {#" list[1] "}\n"
  if (entry_ptx) print "```ptx\n" entry_ptx "```\n"
  if (entry_needs) print "*Since* " entry_needs "\n"
  for (i = 2; i <= n; i++) printf "[]{#%s}", list[i]
  if (n > 1) print "\n"
  print entry_text
  print "\n```cuda\n" entry_code "```"
  for (i = 1; i <= n; i++) {
    split(mistakes_of[list[i]], rules, " ")
    for (r = 1; r in rules; r++) if (!((rules[r]) in seen)) {
      seen[rules[r]]
      mistakes = mistakes (mistakes ? ", " : "") "[`" rules[r] "`](../../docs/rules/" rules[r] ".md)"
    }
    documented[list[i]]
    delete rules
  }
  if (mistakes) print "\n*Rules that a mistake here breaks:* " mistakes "."
  entry_names = ""
}
# From the comment: PTX lines up to the one that ends in a version, then text; indented lines are a table.
function take_comment(   i, line, in_ptx, table) {
  entry_ptx = entry_needs = entry_text = ""
  in_ptx = 0
  for (i = 1; i <= comments; i++) if (comment[i] ~ /PTX [0-9.]+, sm_/) in_ptx = i
  for (i = 1; i <= comments; i++) {
    line = comment[i]
    if (i <= in_ptx) {
      if (match(line, / *PTX [0-9.]+, sm_.*$/)) {
        entry_needs = substr(line, RSTART)
        line = substr(line, 1, RSTART - 1)
        sub(/^ */, "", entry_needs)
        sub(/ \(/, " (PTX ISA 9.1, section ", entry_needs)
      }
      if (line ~ /[^ ]/) entry_ptx = entry_ptx line "\n"
    } else if (line ~ /^  /) {
      entry_text = entry_text (table ? "" : "\n```\n") line "\n"; table = 1
    } else {
      if (table) { entry_text = entry_text "```\n\n"; table = 0 }
      entry_text = entry_text words(line) "\n"
    }
  }
  if (table) entry_text = entry_text "```\n"
  comments = 0
}
function declare(text,   name) {
  gsub(/__device__ static __forceinline__ |static inline /, "", text)
  sub(/ *\{.*$/, ";", text)
  name = text
  sub(/^template <[^>]*>[ \n]*/, "", name)
  sub(/\(.*$/, "", name); sub(/.*[ *\n]/, "", name); sub(/##name$/, "OP", name); gsub(/##name/, "OP", text)
  gsub(/ +\\/, "", text)
  if (comments) { flush_entry(); take_comment(); entry_code = "" }
  if (name ~ /_(reject|check_modes|check_tensor|check_overlap|check_box)$/) return
  if (name ~ /^timeline_(fail|print|print_all)$/ || index(entry_code, text "\n")) return
  if (name ~ /_(find_driver|runtime|driver|is_floating)$/ || name == "tma_lab_check") return
  if (index(" " entry_names " ", " " name " ") == 0) entry_names = entry_names (entry_names ? " " : "") name
  entry_code = entry_code text "\n"
}

FILENAME ~ /mistakes$/ {
  if (!/^#/ && NF) { f = $1; $1 = ""; mistakes_of[f] = mistakes_of[f] $0; wanted[f] }
  next
}
FNR == 1 {
  flush_entry(); comments = 0; opening = 1; skipping = 0
  if (!started) {
    print "# The interface\n"
    print "These are all functions that the labs may call, from the comments of the headers in `interface/`."
    print "A program includes `tma-interface.cuh`, which includes the other `.cuh` files but `timeline.cuh`,"
    print "and on the host `tensor-map.h`. The sections (9.7..) are those of the PTX ISA 9.1, which"
    print "[NVIDIA publishes](https://docs.nvidia.com/cuda/parallel-thread-execution/).\n"
    started = 1
  }
  file = FILENAME; sub(/.*\//, "", file)
  print "\n## " file "\n"
}
/^#define TENSOR_MAP|^TMA_DEFINE|^#undef/ { next }
collecting_macro {
  if (/__forceinline__ void/) macro = $0
  else if (macro) { sub(/ *\\$/, "", macro); sub(/^ */, "", $0); macro = macro $0 }
  else if (!/\\$/) { collecting_macro = 0; comments = 0 }
  if (macro && /\{/) {
    gsub(/ *\\/, "", macro)
    sub(/^ */, "", macro)
    declare(macro)
    macro = ""
    collecting_macro = 0
    in_macro = /\\$/
  }
  next
}
in_macro { in_macro = /\\$/; next }
/^\/\/ ---- The same, with the barrier/ {
  flush_entry()
  skipping = 1
  print "\nEvery function that takes a barrier also takes it by reference:"
  print "`wait(bar, 0)` is `wait(&bar, 0)`.\n"
  next
}
skipping { if (/^#include/) skipping = 0; next }
/^\/\/ ---- / { flush_entry(); comments = 0; next }
/^\/\/ ?/ { line = $0; sub(/^\/\/ ?/, "", line); comment[++comments] = line; next }
/^#define TMA_DEFINE/ { collecting_macro = 1; macro = ""; next }
/^#define CUDA_CHECK/ {
  flush_entry()
  take_comment()
  entry_names = "CUDA_CHECK"
  entry_code = "CUDA_CHECK(call)\n"
  next
}
/^#define timeline_begin/ && comments {
  flush_entry()
  take_comment()
  entry_names = "timeline_begin timeline_end"
  entry_code = "timeline_begin(name)\ntimeline_end(name)\n"
  next
}
/^struct tensor_map_options/ {
  flush_entry()
  take_comment()
  entry_names = "tensor_map_options"
  entry_code = $0 "\n"
  in_struct = 1
  next
}
in_struct { entry_code = entry_code $0 "\n"; if (/^};/) in_struct = 0; next }
/^(template <|__device__ static|static inline)/ {
  text = $0
  if (/\{/) declare(text)
  else open_declaration = 1
  next
}
open_declaration {
  sub(/^ +/, "")
  text = text " " $0
  if (/\{/) { declare(text); open_declaration = 0 }
  next
}
/^#define|^#if|^#error|^#include|^#endif|^#ifndef|^typedef/ || NF == 0 {
  if (opening && comments) {
    for (i = 2; i <= comments; i++)
      if (comment[i - 1] ~ /^  / && comment[i] !~ /^  /) comment[i] = "\n" comment[i]
    for (i = 1; i <= comments; i++) print (comment[i] ~ /^  /) ? term(comment[i]) : words(comment[i])
    print ""
    opening = 0
  }
  comments = 0
}
END {
  flush_entry()
  for (name in wanted) {
    if (name in documented) continue
    print "docs/reference/mistakes: no function " name > "/dev/stderr"
    exit 1
  }
}
