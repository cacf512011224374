import { PROGRAM, envOf } from "./cli.ts";
import { runInTerminal, type PseudoTerminal } from "./pseudo-terminal.ts";

/** A real pseudo-terminal with `materia` in it. */
export interface TerminalSession extends Pick<PseudoTerminal, "screen" | "raw" | "type" | "exited"> {
  /** Resolves with the screen as soon as it holds all of these. */
  readonly until: (...wanted: readonly (string | RegExp)[]) => Promise<string>;
}

export function openTerminal(args: readonly string[], cwd: string, columns = 110): TerminalSession {
  const terminal = runInTerminal({ args: [PROGRAM, ...args], cwd, env: envOf(cwd), columns, rows: 40 });
  const { screen, raw, type, exited } = terminal;
  const until: TerminalSession["until"] = async (...wanted) => {
    let seen = "";
    await terminal.until(wanted.join(", "), () => {
      seen = screen();
      return wanted.every((part) => holds(seen, part));
    });
    return seen;
  };
  return { screen, raw, type, until, exited };
}

function holds(text: string, part: string | RegExp): boolean {
  return typeof part === "string" ? text.includes(part) : part.test(text);
}
