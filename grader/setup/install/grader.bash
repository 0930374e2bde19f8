# Completion for bash.
_grader() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local commands='check grade batch similar handout gradescope-zip validate mutants cases explain hint doctor'
  local options='--kit --submission --device --format --seed --jobs --deadline --build-deadline --out
    --columns --sheet --column --only --regrade --each --watch --board --slurm --chunk --sbatch --share
    --against --mutants --step --trusted --help'
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands fingerprint --kit --help" -- "$word")
  elif [[ $before == --device ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'auto gpu virtual' -- "$word")
  elif [[ $before == --format ]]; then
    mapfile -t COMPREPLY < <(
      compgen -W 'text json gradescope junit autolab classroom50 prairielearn' -- "$word"
    )
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _grader grader
