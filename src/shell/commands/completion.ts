import type { CommandOf, Shell } from "../../core/command/command.ts";
import { oneLine } from "../../core/model/text.ts";
import { line } from "../../core/view/line.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { suggestCompletions } from "./completion-suggestions.ts";

/** [C34] The script for a shell, or one line for each suggestion: the word, a tab, its description. */
export async function runCompletion(workspace: Workspace, { wants }: CommandOf<"completion">): CommandResult {
  if ("shell" in wants) {
    const script = COMPLETION_SCRIPTS[wants.shell];
    const lines = script.trimEnd().split("\n");
    return answer({ shell: wants.shell, script }, () => lines.map((text) => line(text)));
  }
  const before = wants.words.slice(0, -1);
  const partial = wants.words.at(-1) ?? "";
  const offers = (await suggestCompletions(before, partial, { open: () => workspace }))
    .map(({ word, description }) => ({ word: unquoteWord(word), description: oneLine(description ?? "", 80) }))
    .filter(({ word }) => word.toLowerCase().startsWith(partial.toLowerCase()));
  return answer(offers, () =>
    offers.map(({ word, description }) => line(description === "" ? word : `${word}\t${description}`)),
  );
}

/** The shell quotes words itself. */
function unquoteWord(word: string): string {
  const text = word.trim();
  return text.startsWith('"')
    ? text.replaceAll(/"([^"]*)"|'"'/g, (_, inner: string | undefined) => inner ?? '"')
    : text;
}

/** [C34] The completion scripts. Each calls the program, so that it knows the project's names. */
const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
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
