import { writeSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { Totals } from "../../../core/cast/state/usage.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { CastStatus } from "../../../core/view/casts.ts";
import { issueJson, issueLines } from "../../../core/view/issues.ts";
import { lineText, plainText, type Line } from "../../../core/view/text/line.ts";
import { asTyped } from "../../../core/view/text/typed.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import type { Card, CardLine } from "../cards/card.ts";
import type { CastResult } from "../cards/result-card.ts";
import { unlessReplaced, type UserSession } from "../session/user-session.ts";
import { ANSWER, CAST, RESULT, VISIT } from "../session/marks.ts";
import { PROGRAM } from "../session/place.ts";

/** Where people and programs see what a command says, in each of Pi's modes. */
export interface Screen {
  readonly width: () => number;
  /** Whether somebody looks on while a cast runs. */
  readonly live: boolean;
  readonly answer: (answer: ScreenAnswer) => void;
  readonly refuse: (issues: readonly Issue[]) => void;
  readonly note: (text: string, level?: "info" | "warning" | "error") => void;
  readonly visit: (card: Card) => void;
  /** That a cast runs, and how it ended: what a client can see of it as data. */
  readonly cast: (cast: CastNews) => void;
  /** Every event of a cast and what its agents do, for programs. */
  readonly heard: (castId: string, news: CastHeard) => void;
  readonly result: (result: CastResult, code: number) => void;
}

export interface ScreenAnswer {
  readonly lines: readonly Line[];
  /** In the place of the lines where cards are drawn. */
  readonly drawn?: readonly CardLine[];
  readonly data: unknown;
  readonly code: number;
}

export interface CastNews {
  readonly castId: string;
  readonly status: CastStatus | "paused";
  readonly loadout: string;
  readonly request: string;
  /** What it has come to, once it does not run any more. */
  readonly totals?: Totals;
  /** Why it stopped, where it did not complete. */
  readonly reason?: string;
}

export type CastHeard = { readonly event: CastEvent } | { readonly progress: TurnProgress };

const REFUSED = 2;
const PLAIN_WIDTH = 100;

export function openScreen(user: UserSession): Screen {
  const { mode } = user.ctx;
  return mode === "print" || mode === "json" ? forPrograms(user, mode) : forPeople(user, mode);
}

/** [X2] In the terminal answers are drawn into the session; a client of the RPC mode gets them as notices. */
function forPeople({ pi, ctx }: UserSession, mode: "tui" | "rpc"): Screen {
  const notify = (text: string, level: "info" | "warning" | "error"): void =>
    unlessReplaced(() => ctx.ui.notify(text, level));
  return {
    live: true,
    width: () => (mode === "tui" ? Math.max(40, (process.stdout.columns ?? 80) - 2) : PLAIN_WIDTH),
    answer: ({ lines, drawn }) => {
      const typed = asTyped(lines, PROGRAM);
      if (mode === "tui") unlessReplaced(() => pi.appendEntry(ANSWER, { lines: drawn ?? typed } satisfies Card));
      else notify(plainText(typed), "info");
    },
    // Pi itself writes `Error:` before it.
    refuse: (issues) => notify(plainText(asTyped(issueLines(issues, false), PROGRAM)), "error"),
    note: (text, level = "info") => notify(text, level),
    visit: (card) => unlessReplaced(() => pi.appendEntry(VISIT, card)),
    // A person sees the widget.
    cast: (cast) => mode === "rpc" && unlessReplaced(() => pi.appendEntry(CAST, cast)),
    heard: () => undefined,
    result: (result) => unlessReplaced(() => sendResult({ pi, ctx }, result)),
  };
}

/** [X3] Without a screen the answer goes to standard output and the outcome into the exit code. */
function forPrograms({ pi, ctx }: UserSession, mode: "print" | "json"): Screen {
  const print = (text: string, data: unknown): void => {
    if (mode === "print") writeAll(1, `${text}\n`);
    else writeAll(1, `${JSON.stringify({ type: "materia", data })}\n`);
  };
  return {
    live: false,
    width: () => PLAIN_WIDTH,
    answer: ({ lines, data, code }) => {
      print(plainText(asTyped(lines, PROGRAM)), data);
      process.exitCode = code;
    },
    refuse: (issues) => {
      const lines = asTyped(issueLines(issues), PROGRAM);
      if (mode === "print") writeAll(2, lines.map((each) => `${lineText(each)}\n`).join(""));
      else print("", { issues: issues.map(issueJson) });
      process.exitCode = REFUSED;
    },
    note: (text) => writeAll(2, `${text}\n`),
    visit: (card) =>
      mode === "json" ? unlessReplaced(() => pi.appendEntry(VISIT, card)) : writeAll(2, `${headOf(card)}\n`),
    cast: (cast) => mode === "json" && print("", { cast }),
    heard: (castId, news) => mode === "json" && print("", { castId, ...news }),
    result: (result, code) => {
      unlessReplaced(() => sendResult({ pi, ctx }, result));
      if (mode === "print") print(result.plain, undefined);
      process.exitCode = code;
    },
  };
}

function headOf({ lines }: Card): string {
  return (lines[0] ?? []).map(({ text }) => text).join("");
}

/** [X12] The one thing of a cast that the user's conversation is told; it starts no turn. */
function sendResult({ pi }: UserSession, { card, words, castId }: CastResult): void {
  pi.sendMessage(
    { customType: RESULT, content: words, display: true, details: { ...card, castId } },
    { triggerTurn: false },
  );
}

/** Pi turns writes to standard output away in these modes, except at the level of the file. */
function writeAll(file: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (thrown) {
      // A pipe that is full for the moment takes the rest later.
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
