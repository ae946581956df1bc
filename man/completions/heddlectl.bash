# bash completion of heddlectl and heddle
_heddlectl() {
  local IFS=$'\n'
  COMPREPLY=($(timeout 2 heddlectl complete "${COMP_WORDS[0]##*/}" "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null | cut -f 1))
}
complete -o default -F _heddlectl heddlectl heddle
