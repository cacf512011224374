import type { Shell } from "../../../core/command/command.ts";

/** [C34] What a shell runs to complete; each asks the program itself, so that it knows the project's own names. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# materia completion for bash. In ~/.bashrc:  source <(materia completion bash)
_materia() {
  local typed="\${COMP_LINE:0:COMP_POINT}" words word text cur kept
  read -ra words <<< "$typed"
  [[ "$typed" == *[[:space:]] ]] && words+=("")
  cur="\${words[\${#words[@]}-1]}"
  # Bash breaks words at these itself, and puts only the last part in.
  kept="\${cur%"\${cur##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r word text; do
    word="$(printf '%q' "$word")"
    COMPREPLY+=("\${word#"$kept"}")
  done < <(materia completion words -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -gt 0 ]] || compopt -o default 2>/dev/null
}
complete -F _materia materia
`,
  zsh: `#compdef materia
# materia completion for zsh. In ~/.zshrc, behind compinit:  source <(materia completion zsh)
_materia() {
  local word text
  local -a offers
  while IFS=$'\\t' read -r word text; do
    offers+=("\${word//:/\\\\:}:$text")
  done < <(materia completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#offers )); then _describe 'materia' offers; else _files; fi
}
compdef _materia materia
`,
  fish: `# materia completion for fish:  materia completion fish > ~/.config/fish/completions/materia.fish
complete -c materia -f -a '(materia completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c materia -l cwd -l config -l artifacts -l rehearse -r -F
`,
};
