#!/bin/sh
# In: the built vhopper and grader, bash, zsh. Out: exit 0 if both shells complete commands, options, the
# values of options, and rules.
# The idea: the functions run as their shell runs them, with the words of a command line; what they propose is
# held against what --help says. Without zsh its part is left out.
set -eu
cd "$(dirname "$0")/../../.."
PATH=$PWD/build/bin:$PATH
here=$PWD/grader/setup/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# proposals SHELL WORD ..: what the shell proposes for the last word, a line each. Files: `(files)` or
# nothing.
proposals() {
  shell=$1
  shift
  (cd "$work" && case $shell in
    bash) bash "$work/ask.bash" "$@" ;;
    zsh) zsh -f "$work/ask.zsh" "$@" ;;
  esac) | sort -u
}
cat >"$work/ask.bash" <<BASH
. "$here/\$1.bash"
COMP_WORDS=("\$@")
COMP_CWORD=\$((\$# - 1))
_\$1
printf '%s\n' "\${COMPREPLY[@]}"
BASH
# zsh calls the file as a function, and keeps the proposals that begin with what is typed.
cat >"$work/ask.zsh" <<ZSH
words=("\$@") CURRENT=\$# PREFIX=\${@[-1]}
compadd() {
  local -a all
  if [[ \$1 == -a ]]; then all=(\${(P)2}); else [[ \$1 != -- ]] || shift; all=("\$@"); fi
  print -rl -- \${(M)all:#\$PREFIX*}
}
_files() { print -r -- '(files)'; }
complete_it() { . "$here/_\$1"; }
complete_it \$1
ZSH

# proposes SHELL 'EXPECTED ..' WORD ..: these and no other.
proposes() {
  shell=$1
  # shellcheck disable=SC2086 # words
  printf '%s\n' $2 | sort -u >"$work/expected"
  shift 2
  proposals "$shell" "$@" >"$work/got"
  cmp -s "$work/expected" "$work/got" && return
  echo "$shell, $*: proposes otherwise than expected:"
  diff "$work/expected" "$work/got" || true
  status=1
}

vhopper run --help | sed -n 's/^  \(--[a-z-]*\) .*/\1/p' >"$work/options"
[ "$(wc -l <"$work/options")" -gt 20 ] || { echo 'vhopper run --help names hardly any option'; status=1; }
rules=$(find docs/rules -name '*.md' -exec basename {} .md ';')
# Every option that the usage text of grader names, anywhere.
grader --help | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$work/grader-options"
commands=$(grader --help | sed -n 's/^\(usage:\)\{0,1\}  *grader \([a-z-]*\) .*/\2/p')

for shell in bash zsh; do
  command -v "$shell" >/dev/null || { echo "$shell is not here: left out"; continue; }
  proposes "$shell" 'run explain --help --version' vhopper ''
  proposes "$shell" "-- $(cat "$work/options")" vhopper run -
  proposes "$shell" '--seed --strict --sarif --schedule --skip-launches --suppressions' vhopper run --s
  proposes "$shell" 'fair racing held-back reversed random first-late by-seed' vhopper run --schedule ''
  proposes "$shell" 'warn error ignore' vhopper run --api-errors ''
  proposes "$shell" 'h100 h200' vhopper run --strict --time ''
  proposes "$shell" "$rules" vhopper explain ''
  proposes "$shell" 'proxy-fence' vhopper explain prox
  proposes "$shell" "$commands --kit --help" grader ''
  proposes "$shell" 'auto gpu virtual' grader check lab9 --device ''
  proposes "$shell" 'text json gradescope junit autolab classroom50 prairielearn' grader grade --format ''
  proposals "$shell" grader batch -- | grep -v -e --kit -e --help -e --out >"$work/got"
  grep -v -e --kit -e --help -e --out "$work/grader-options" | cmp -s - "$work/got" ||
    { echo "$shell completes other options of grader than its --help names"; status=1; }
done
# Behind `--` come the program's own words. In an empty folder bash has no file to propose.
proposes bash '' vhopper run -- --s
if command -v zsh >/dev/null; then proposes zsh '(files)' vhopper run -- --s; fi
exit $status
