import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { PROGRAM, envOf } from "./cli.ts";

/** A real pseudo-terminal with `materia` in it. */
export interface TerminalSession {
  /** What a person sees now. */
  readonly screen: () => string;
  /** Everything that was written, escape sequences included. */
  readonly raw: () => string;
  readonly type: (text: string) => void;
  /** Resolves with the screen as soon as it holds all of these. */
  readonly until: (...wanted: readonly (string | RegExp)[]) => Promise<string>;
  readonly exited: Promise<number>;
}

const ROWS = 40;

export function openTerminal(args: readonly string[], cwd: string, columns = 110): TerminalSession {
  const terminal = new headless.Terminal({ cols: columns, rows: ROWS, scrollback: 2000, allowProposedApi: true });
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows: ROWS,
    cwd,
    env: envOf(cwd),
  });
  let raw = "";
  let watching: (() => void)[] = [];
  const screen = (): string => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  };
  child.onData((data) => {
    raw += data;
    terminal.write(data, () => {
      for (const look of watching) look();
    });
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      // What was written last may still be on its way through the terminal.
      terminal.write("", () => resolve(signal ? 128 + signal : exitCode));
    });
  });
  const until: TerminalSession["until"] = (...wanted) => {
    const holds = (text: string): boolean =>
      wanted.every((part) => (typeof part === "string" ? text.includes(part) : part.test(text)));
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const seen = screen();
        if (!holds(seen)) return;
        watching = watching.filter((each) => each !== look);
        resolve(seen);
      };
      watching.push(look);
      void exited.then(() => (holds(screen()) ? resolve(screen()) : reject(new Error(`never seen:\n${screen()}`))));
      look();
    });
  };
  return { screen, raw: () => raw, type: (text) => child.write(text), until, exited };
}
