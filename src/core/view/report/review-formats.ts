import type { ReviewFormat } from "../../command/options.ts";

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
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${GITHUB_COMMANDS[severity]} ${properties.join(",")}::${escapeData(message)}`;
}

/** A line break or a separator in a text must not begin another command of the runner. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
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
