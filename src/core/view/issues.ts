import { pathText, withHintParts, type Issue, type SuggestedCommand } from "../model/issue.ts";
import { sanitizeForTerminal } from "../model/text.ts";
import { line, toned, type Line } from "./line.ts";
import { COMMANDS } from "../command/command-table.ts";
import { quoteWord } from "../command/split-words.ts";

/** Every issue with its place and its hint. With `marked` false errors have no label, because the caller prints one. */
export function issueLines(issues: readonly Issue[], marked = true): readonly Line[] {
  return issues.flatMap(({ severity, code, file, path, message, hint }) => {
    const label = toned(severity === "error" ? "bad" : severity === "info" ? "dim" : "rework", severity);
    const place = [file ?? "", pathText(path)].filter((part) => part !== "").map(sanitizeForTerminal);
    return [
      line(
        ...(marked || severity !== "error" ? [label, " "] : []),
        toned("dim", code),
        `: ${sanitizeForTerminal(message)}`,
      ),
      ...(place.length > 0 ? [line("  ", toned("dim", `at ${place.join(": ")}`))] : []),
      ...(hint === undefined ? [] : [line("  ", toned("accent", `→ ${sanitizeForTerminal(hint)}`))]),
    ];
  });
}

/** [C42] The JSON of an issue. */
export function issueJson({ severity, code, file, path, message, hint }: Issue) {
  return {
    severity,
    code,
    file: file ?? null,
    path: pathText(path),
    message,
    hint: hint ?? null,
  };
}

const COMMAND_NAMES = COMMANDS.map(({ name }) => name);
const COMMAND_PATTERN = new RegExp(`(^|["\\s])materia (?=(${COMMAND_NAMES.join("|")})\\b|<command>|--help|--on )`, "g");
const TERMINAL_ONLY: ReadonlySet<string> = new Set(["fleet", "worker", "mcp"]);

/** [C41] Commands in the form of the reader: `materia show` is `/materia show` in Pi. */
export function withProgramName(lines: readonly Line[], program: string): readonly Line[] {
  const typed = (whole: string, before: string, name: string | undefined): string =>
    program.startsWith("/") && TERMINAL_ONLY.has(name ?? "") ? whole : `${before}${program} `;
  return lines.map((line) => line.map((span) => ({ ...span, text: span.text.replace(COMMAND_PATTERN, typed) })));
}

const FLEET_COMMANDS: ReadonlySet<string> = new Set(
  COMMANDS.filter(({ name, options }) => options.includes("on") && !TERMINAL_ONLY.has(name)).map(({ name }) => name),
);

/** [B69] After a command with `--on`, suggested commands name the same fleet. */
export function withFleetOption(issues: readonly Issue[], fleet: string): readonly Issue[] {
  return issues.map((issue) => {
    if (!issue.hintParts) return issue;
    const parts = issue.hintParts.map((part) => (typeof part === "string" ? part : commandOnFleet(part, fleet)));
    return withHintParts(issue, parts);
  });
}

function commandOnFleet({ typed }: SuggestedCommand, fleet: string): SuggestedCommand {
  const on = `--on ${quoteWord(fleet)}`;
  const [name = ""] = typed.split(" ");
  if (typed === "fleet migrate") return { typed: `${typed} ${on}` };
  return FLEET_COMMANDS.has(name) && !typed.includes(" --on ") ? { typed: `${on} ${typed}` } : { typed };
}
