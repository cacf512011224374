import type { Readable } from "node:stream";
import { stripVTControlCharacters, styleText } from "node:util";
import type { Options } from "../../../core/command/options.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";

/** The terminal, or its stand-in in tests. */
export interface Io {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly stdin: InputStream;
  /** Whether standard error is a terminal that can redraw. */
  readonly live: boolean;
  /** Whether a person can be asked. */
  readonly canAsk: boolean;
  /** Whether standard output is read by a person. */
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

/** The parts of a process that make a terminal. */
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

/** [D23] A closed pipe or a full disk behind it is not a fault of the command: continue silently. */
function createWriter(stream: OutputStream): Io["out"] {
  let isOpen = true;
  stream.on("error", () => {
    isOpen = false;
  });
  return (text) => {
    if (isOpen) stream.write(text);
  };
}

function wantsColor(env: Io["env"], isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTerminal && env["TERM"] !== "dumb";
}

export type Style = Parameters<typeof styleText>[0];

export function applyStyle(io: Io, style: Style, text: string): string {
  return io.color ? styleText(style, text, { validateStream: false }) : stripVTControlCharacters(text);
}

/** The surroundings of a command. */
export interface CliContext {
  readonly options: Options;
  readonly io: Io;
  readonly workspace: Workspace;
}
