import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";

/** A program in a real pseudo-terminal. */
export interface PseudoTerminal {
  /** What a person sees now. */
  readonly view: () => string;
  /** What a person sees now, behind all that has scrolled away. */
  readonly screen: () => string;
  /** Everything that was written, escape sequences included. */
  readonly raw: () => string;
  readonly type: (keys: string) => void;
  /** Resolves with what is in view as soon as this holds for it. */
  readonly until: (what: string, holds: (view: string) => boolean) => Promise<string>;
  readonly exited: Promise<number>;
  readonly kill: () => void;
}

interface InTerminal {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

// A guard against what hangs, never a measure: a busy machine is slow, not wrong.
const PATIENCE_MS = 120_000;

/**
 * `SLOW_TERMINAL=50 npx vitest run test/e2e-pi` shows what a program writes that many milliseconds late and in small pieces: a
 * test that looks before the screen has answered, or at half a screen, fails each time instead of once in hundreds of runs.
 */
const LATE_MS = Number(process.env["SLOW_TERMINAL"] ?? 0);
const PIECE = 256;

async function showLate(data: string, show: (piece: string) => void): Promise<void> {
  await sleep(LATE_MS);
  for (let at = 0; at < data.length; at += PIECE) {
    show(data.slice(at, at + PIECE));
    await sleep(1);
  }
}

/** Runs Node with these arguments. */
export function runInTerminal({ args, cwd, env, columns, rows }: InTerminal): PseudoTerminal {
  const size = { cols: columns, rows };
  const terminal = new headless.Terminal({ ...size, scrollback: 2000, allowProposedApi: true });
  const child = spawn(process.execPath, [...args], { name: "xterm-256color", ...size, cwd, env });
  let raw = "";
  const looking = new Set<() => void>();
  const linesFrom = (start: number): string => {
    const { active } = terminal.buffer;
    const count = active.length - start;
    const lines = Array.from({ length: count }, (_, row) => active.getLine(start + row)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  };
  const view = (): string => linesFrom(terminal.buffer.active.baseY);
  const screen = (): string => linesFrom(0);
  // A program that asks its terminal something waits for the answer.
  terminal.onData((data) => child.write(data));
  const show = (data: string): void => {
    raw += data;
    terminal.write(data, () => {
      for (const look of looking) look();
    });
  };
  let shown = Promise.resolve();
  child.onData((data) => {
    if (LATE_MS === 0) show(data);
    else shown = shown.then(() => showLate(data, show));
  });
  const exited = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      // What was written last may still be on its way through the terminal.
      void shown.then(() => terminal.write("", () => resolve(signal ? 128 + signal : exitCode)));
    });
  });
  const until: PseudoTerminal["until"] = (what, holds) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(patience);
        looking.delete(look);
      };
      const look = (): void => {
        // A frame that is half drawn is nothing that a person sees: rows of the one before stand between its own.
        if (terminal.modes.synchronizedOutputMode) return;
        const seen = view();
        if (!holds(seen)) return;
        stop();
        resolve(seen);
      };
      const giveUp = (): void => {
        stop();
        reject(new Error(`never seen: ${what}\n${screen()}`));
      };
      const patience = setTimeout(giveUp, PATIENCE_MS);
      looking.add(look);
      look();
      void exited.then(() => {
        look();
        giveUp();
      });
    });
  return {
    view,
    screen,
    raw: () => raw,
    type: (keys) => child.write(keys),
    until,
    exited,
    kill: () => child.kill("SIGKILL"),
  };
}
