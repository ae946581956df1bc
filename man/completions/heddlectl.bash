# bash completion of heddlectl and heddle
_heddlectl() {
  local IFS=$'\n' word last='' words=()
  # Readline separates words at colons, too: NODE:PORT is one word.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if (( ${#words[@]} )) && [[ $word == : || $last == : ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  COMPREPLY=($(timeout 2 heddlectl complete "${COMP_WORDS[0]##*/}" "${words[@]}" 2> /dev/null | cut -f 1))
  local cur=${words[-1]}
  # It replaces what is behind the last colon.
  [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
}
complete -o default -F _heddlectl heddlectl heddle
