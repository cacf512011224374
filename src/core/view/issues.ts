import { pathText, withHintParts, type Issue, type SuggestedCommand } from "../model/issue.ts";
import { sanitizeForTerminal } from "../model/text.ts";
import { line, toned, type Line } from "./line.ts";
import { COMMANDS } from "../command/command-table.ts";
import { quoteWord } from "../command/split-words.ts";
import type { ReviewFormat } from "../command/options.ts";

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

/** A problem at a place of a file, for tools that show problems beside the code. */
export interface ReviewProblem {
  readonly severity: "error" | "warning" | "info";
  readonly code: string;
  readonly message: string;
  /** Relative to the folder of the project; absent if it belongs to no file. */
  readonly file?: string;
  readonly line?: number;
}

/** [C56] Findings as annotations of GitHub, as a code quality report of GitLab, or as SARIF 2.1.0. */
export function findingsText(findings: readonly ReviewProblem[], format: ReviewFormat, version: string): string {
  if (format === "github") return findings.map((finding) => `${githubLine(finding)}\n`).join("");
  const document = format === "gitlab" ? findings.map(gitlabIssue) : sarifLog(findings, version);
  return `${JSON.stringify(document, null, 2)}\n`;
}

const GITHUB_COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

function githubLine({ severity, code, message, file, line }: ReviewProblem): string {
  const properties = Object.entries({ file, line, title: code }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`],
  );
  return `::${GITHUB_COMMANDS[severity]} ${properties.join(",")}::${escapeData(message)}`;
}

/** A line break or a separator in a text must not begin another command of the runner. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

const GITLAB_SEVERITIES = { error: "major", warning: "minor", info: "info" } as const;

function gitlabIssue({ severity, code, message, file = ".", line = 1 }: ReviewProblem): object {
  return {
    description: message,
    check_name: code,
    // The same problem has the same fingerprint in every run, wherever its line moves.
    fingerprint: `${code}:${file}:${message}`,
    severity: GITLAB_SEVERITIES[severity],
    location: { path: file, lines: { begin: line } },
  };
}

const SARIF_LEVELS = { error: "error", warning: "warning", info: "note" } as const;

function sarifLog(findings: readonly ReviewProblem[], version: string): object {
  const rules = [...new Set(findings.map(({ code }) => code))].map((id) => ({ id }));
  const results = findings.map(({ severity, code, message, file, line }) => ({
    ruleId: code,
    level: SARIF_LEVELS[severity],
    message: { text: message },
    locations: file === undefined ? [] : [sarifLocation(file, line)],
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "pi-materia", version, rules } }, results }],
  };
}

function sarifLocation(file: string, startLine: number | undefined): object {
  const artifactLocation = { uri: file.split("/").map(encodeURIComponent).join("/") };
  return {
    physicalLocation: { artifactLocation, ...(startLine === undefined ? {} : { region: { startLine } }) },
  };
}
