import { findingsText, issueLines, withProgramName } from "../../../core/view/issues.ts";
import { VERSION } from "../../../shell/system/package.ts";
import type { Readable } from "node:stream";
import { stripVTControlCharacters, styleText } from "node:util";
import { REVIEW_FORMATS, type Options } from "../../../core/command/options.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { wrapLineHanging, line, type Line, type Tone } from "../../../core/view/line.ts";
import type { CommandOutput } from "../../../shell/commands/command-output.ts";
import { killChildProcesses } from "../../../shell/process/processes.ts";

export interface Io {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly stdin: InputStream;
  readonly live: boolean;
  readonly canAsk: boolean;
  readonly isTerminal: boolean;
  readonly columns: () => number;
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What to type to start this program again from the same place. */
  readonly program: string;
}

type InputStream = Readable & { readonly isTTY?: boolean };

interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string | Uint8Array) => unknown;
  readonly on: (event: "error", listener: () => void) => unknown;
}

interface ProcessStreams {
  readonly env: Io["env"];
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly cwd: () => string;
}

export function processIo({ env, stdin, stdout, stderr, cwd }: ProcessStreams): Io {
  const isTerminal = stdout.isTTY === true;
  const isShown = stderr.isTTY === true;
  return {
    out: createWriter(stdout),
    err: createWriter(stderr),
    stdin,
    live: isShown && env["TERM"] !== "dumb",
    isTerminal,
    canAsk: stdin.isTTY === true && isShown,
    columns: () => Math.max(40, stderr.columns ?? stdout.columns ?? 80),
    color: wantsColor(env, isTerminal),
    env,
    cwd: cwd(),
    // In a clone, or installed in a project, npm found it: a shell would not.
    program: env["npm_command"] === undefined ? "materia" : "npx materia",
  };
}

/** [D23] A closed pipe or a full disk does not stop the command. The exit code reports a full disk. */
function createWriter(stream: OutputStream): Io["out"] {
  let isOpen = true;
  stream.on("error", () => (isOpen = false));
  return (text) => void (isOpen && stream.write(text));
}

function wantsColor(env: Io["env"], isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}

type Style = Parameters<typeof styleText>[0];

export function applyStyle(io: Io, style: Style, text: string): string {
  return io.color ? styleText(style, text, { validateStream: false }) : stripVTControlCharacters(text);
}

export interface CliContext {
  readonly options: Options;
  readonly io: Io;
  readonly workspace: Workspace;
}

const TONE_STYLES: Readonly<Record<Tone, Style | undefined>> = {
  plain: undefined,
  dim: "dim",
  strong: "bold",
  accent: "cyan",
  ok: "green",
  rework: "yellow",
  bad: "red",
  wait: "magenta",
};

export function paintLine(io: Io, line: Line): string {
  return line
    .map(({ text, tone = "plain" }) => {
      const style = TONE_STYLES[tone];
      return style === undefined ? text : applyStyle(io, style, text);
    })
    .join("");
}

export function printLines(io: Io, lines: readonly Line[], write: (text: string) => void = io.out): void {
  // [C37] A terminal breaks lines in the middle of words, so wrap them; other programs get whole lines.
  const isTerminal = io.isTerminal || (io.live && write === io.err);
  const rows = isTerminal ? lines.flatMap((each) => wrapLineHanging(each, io.columns())) : lines;
  write(rows.map((row) => `${paintLine(io, row)}\n`).join(""));
}

/** [C41] Prints every problem on standard error, with its way out as typed here. */
export function printIssues(io: Io, issues: readonly Issue[]): void {
  printLines(io, withProgramName(issueLines(issues), io.program), io.err);
}

export function printText(io: Io, text: string, write: (text: string) => void = io.err): void {
  const lines = text.split("\n").map((each) => line(each));
  printLines(io, lines, write);
}

/** [C5] JSON escapes most control characters; escape the rest, and text-direction marks, for terminals. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Listings are JSON for programs and lines for people. */
export function printAnswer(io: Io, { json, format }: Options, output: CommandOutput): number {
  const { code, data, lines, piped, findings } = output;
  const review = REVIEW_FORMATS.find((each) => each === format);
  if (review && findings) {
    io.out(findingsText(findings(), review, VERSION));
    return code;
  }
  if (json) io.out(`${jsonText(data, 2)}\n`);
  else if (piped && !io.isTerminal) io.out(piped);
  else {
    const shown = lines(io.columns());
    if (piped) io.out(shown.map((each) => `${paintLine(io, each)}\n`).join(""));
    else printLines(io, shown);
  }
  return code;
}

/** [C10] The first Ctrl-C or SIGTERM stops the cast cleanly, a second one exits at once. */
export function listenForInterrupt(io: Io, isAsleep = () => false) {
  const controller = new AbortController();
  const release = new AbortController();
  const interrupted = (): void => {
    if (controller.signal.aborted) exitAtOnce();
    if (isAsleep() && !release.signal.aborted) return release.abort();
    io.err(`\n${applyStyle(io, "yellow", "Stopping… (once more to leave at once)")}\n`);
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, interrupted);
  const stop = (): void => {
    for (const name of names) process.off(name, interrupted);
  };
  // [Z11] `released` is aborted instead while the cast sleeps: the cast stays asleep.
  return { signal: controller.signal, released: release.signal, stop };
}

function exitAtOnce(): never {
  // Programs and commands lead their own process groups, so they would survive.
  killChildProcesses();
  process.exit(130);
}
