# Completion for bash. Options come from the program itself.
_vhopper() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'run explain --help --version' -- "$word")
  elif [[ ${COMP_WORDS[1]} == explain ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(vhopper explain | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$word")
  elif [[ $before == --schedule ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'fair racing held-back reversed random first-late by-seed' -- "$word")
  elif [[ $before == --api-errors ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'warn error ignore' -- "$word")
  elif [[ $before == --time ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'h100 h200' -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "-- $(vhopper --list-options)" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _vhopper vhopper
