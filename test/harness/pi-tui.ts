import { afterFile } from "./after-file.ts";
import { EXTENSION, PI, type PiPlace } from "./pi-place.ts";
import { runInTerminal, type PseudoTerminal } from "./pseudo-terminal.ts";

export const KEYS = {
  down: "\u001b[B",
  altEnter: "\u001b\r",
  enter: "\r",
  tab: "\t",
  escape: "\u001b",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlO: "\u000f",
  altO: "\u001bo",
};

export interface PiTui extends PseudoTerminal {
  /** Types a line and sends it. */
  readonly send: (line: string) => Promise<void>;
  /** Resolves with what is in view when it matches all of these. */
  readonly sees: (...wanted: readonly RegExp[]) => Promise<string>;
  /** Resolves when nothing of this is in view. */
  readonly loses: (unwanted: RegExp) => Promise<string>;
}

/** The real `pi` with the extension, as a person has it in front of them. */
export function openPiTui(place: PiPlace, ...args: readonly string[]): Promise<PiTui> {
  return openPiTuiAt({ columns: 100, rows: 40 }, place, ...args);
}

/** The same in a terminal of another size. */
export function openPiTuiAt(size: TerminalSize, place: PiPlace, ...args: readonly string[]): Promise<PiTui> {
  return openTerminal(size, place, ["-e", EXTENSION, ...args]);
}

/** The same in a place that has the extension installed. */
export function openInstalledPiTui(place: PiPlace): Promise<PiTui> {
  return openTerminal({ columns: 100, rows: 40 }, place, []);
}

interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

async function openTerminal(size: TerminalSize, { cwd, env }: PiPlace, args: readonly string[]): Promise<PiTui> {
  const terminal = runInTerminal({ args: [PI, ...args], cwd, env, ...size });
  const pi: PiTui = {
    ...terminal,
    sees: (...wanted) => terminal.until(wanted.join(", "), (view) => wanted.every((part) => part.test(view))),
    loses: (unwanted) => terminal.until(`nothing of ${unwanted}`, (view) => !unwanted.test(view)),
    send: async (line) => {
      terminal.type(line);
      // Enter right behind the text would be taken for a part of it.
      await terminal.until(line, (view) => view.replaceAll("\n", "").includes(line));
      terminal.type(KEYS.enter);
    },
  };
  let isRunning = true;
  void terminal.exited.then(() => (isRunning = false));
  afterFile(() => {
    if (isRunning) pi.kill();
    return terminal.exited;
  });
  // Pi draws itself before it can do anything; what it has loaded it says last.
  await terminal.until("Pi's start", (view) => terminal.screen().includes("[Extensions]") && view.includes("plain"));
  return pi;
}
