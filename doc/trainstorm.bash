# Completion for bash: commands, their options, shipped scenarios, strategies' figures and files. What there is comes
# from the program itself, so that it is that of the version installed.

_trainstorm_names() { # KIND: the first word of each line of `trainstorm list KIND'
  "$1" list "$2" 2>/dev/null | awk 'NF && !/^ / {print $1}'
}

_trainstorm() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local command=${COMP_WORDS[1]-} words='' files='' place=0 i
  if ((COMP_CWORD == 1)); then
    words=$("$program" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  *.*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    words=$("$program" "$command" --help 2>/dev/null | sed -nE 's/^ {2,6}(-[a-zA-Z?], )?(--[a-z][-a-z]*=?).*/\2/p')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i - 1]} == -[oj] ]] || place=$((place + 1))
  done
  case $command:$place in
  run:0 | sweep:0 | check:0 | solve:0 | tune:0 | calibrate:0 | validate:*)
    words=$(_trainstorm_names "$program" scenarios)
    files=yaml
    ;;
  plot:1) words=$(_trainstorm_names "$program" figures) ;;
  list:0) words='scenarios strategies metrics figures chips distributions' ;;
  import:0) words='lanl spot csv skyplane' ;;
  *) files=any ;;
  esac
  [[ $before == -o || $before == = ]] && words='' files=any
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  [[ -z $files ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
  compopt -o filenames 2>/dev/null
}
complete -F _trainstorm trainstorm
