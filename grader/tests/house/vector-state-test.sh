#!/bin/sh
# In: build/bin/vhopper. Out: nothing, or each function that may leave the upper halves of vector registers in
# use; exit 1. The idea: after such a function every SSE instruction is slow. gcc has left out vzeroupper in
# all handlers of setp, and programs ran at a third to a half of their speed. No result shows that.
set -eu
cd "$(dirname "$0")/../../.."
[ "$(uname -m)" = x86_64 ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# unclean: of a disassembly, the functions that use 32-byte or 64-byte registers and have no vzeroupper.
unclean() {
  awk '
    /^[0-9a-f]+ <.*>:$/ { name = $2; wide = clean = 0 }
    /%[yz]mm/ { wide = 1; any++ }
    /vzeroupper/ { clean = 1 }
    /^$/ { if (name != "" && wide && !clean) print name; name = "" }
    END { if (name != "" && wide && !clean) print name; if (any < 100) print "no wide vectors at all" }'
}

objdump -d --no-show-raw-insn build/bin/vhopper >"$work/code"
unclean <"$work/code" >"$work/unclean"
# Without its vzeroupper, the function is named.
sed '/vzeroupper/d' "$work/code" | unclean >"$work/all"
grep -q '<lt_u32\.' "$work/all" || { echo "a function without vzeroupper isn't found"; exit 1; }
[ ! -s "$work/unclean" ] || { cat "$work/unclean"; exit 1; }
