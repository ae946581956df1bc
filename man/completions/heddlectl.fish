# fish completion of heddlectl and heddle
function __heddlectl_complete
    set -l words (commandline -opc)
    set -l found (timeout 2 heddlectl complete (path basename -- $words[1]) $words[2..] (commandline -ct) 2> /dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c heddlectl -f -a '(__heddlectl_complete)'
complete -c heddle -f -a '(__heddlectl_complete)'
