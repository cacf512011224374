import { writeSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { type Totals, totalsOf } from "../../../core/cast/state/usage.ts";
import { type Issue, type Result, ok } from "../../../core/model/issue.ts";
import { issueJson, issueLines, withProgramName } from "../../../core/view/issues.ts";
import { lineText, plainText, type Line, line } from "../../../core/view/line.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import type { Card, CardLine } from "./card.ts";
import type { CastResult } from "./result-card.ts";
import {
  runUnlessReplaced,
  type UserSession,
  ANSWER_ENTRY,
  CAST_ENTRY,
  RESULT_ENTRY,
  VISIT_ENTRY,
} from "../session/user-session.ts";
import { COMMAND_PREFIX, type SessionProject } from "../session/project.ts";
import type { PreparedCast } from "../../../shell/casting/prepared-cast.ts";
import type { RunOutcome } from "../../../shell/context/run-context.ts";
import { both, type CastObserver, type CastWatch } from "./cast-watch.ts";
import { basename } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine, thrownMessage } from "../../../core/model/text.ts";
import { type CastStatus, castStatus, endReason } from "../../../core/cast/summary.ts";
import type { Options } from "../../../core/command/options.ts";
import type { CommandOutput } from "../../../shell/commands/command-output.ts";
import { runCommand, type ImmediateCommand } from "../../../shell/commands/run-command.ts";

export interface Screen {
  readonly width: () => number;
  readonly isWatched: boolean;
  readonly showAnswer: (answer: ScreenAnswer) => void;
  readonly refuse: (issues: readonly Issue[]) => void;
  readonly note: (text: string, level?: "info" | "warning" | "error") => void;
  /** [X13] An error inside the extension. */
  readonly noteFailure: (thrown: unknown) => void;
  readonly addVisitCard: (card: Card) => void;
  readonly sendStatus: (cast: CastStatusReport) => void;
  /** Every event of a cast and its agents' progress, for programs. */
  readonly sendNews: (castId: string, news: CastStreamEntry) => void;
  readonly showResult: (result: CastResult, code: number) => void;
}

export interface ScreenAnswer {
  readonly lines: readonly Line[];
  /** Drawn as cards instead of lines. */
  readonly drawn?: readonly CardLine[];
  readonly data: unknown;
  readonly code: number;
}

export interface CastStatusReport {
  readonly castId: string;
  readonly status: CastStatus | "paused";
  readonly loadout: string;
  readonly request: string;
  readonly totals?: Totals;
  readonly reason?: string;
}

export type CastStreamEntry = { readonly event: CastEvent } | { readonly progress: TurnProgress };

const PLAIN_WIDTH = 100;

export function createScreen(user: UserSession): Screen {
  const { mode } = user.ctx;
  return mode === "print" || mode === "json" ? screenForPrograms(user, mode) : screenForPeople(user, mode);
}

/** [X2] In the terminal answers are drawn into the session; a client in RPC mode receives notices. */
function screenForPeople({ pi, ctx }: UserSession, mode: "tui" | "rpc"): Screen {
  const notify = (text: string, level: "info" | "warning" | "error"): void =>
    runUnlessReplaced(() => ctx.ui.notify(text, level));
  return {
    isWatched: true,
    width: () => (mode === "tui" ? Math.max(40, (process.stdout.columns ?? 80) - 2) : PLAIN_WIDTH),
    showAnswer: ({ lines, drawn }) => {
      const typed = withProgramName(lines, COMMAND_PREFIX);
      if (mode === "tui")
        runUnlessReplaced(() => pi.appendEntry(ANSWER_ENTRY, { lines: drawn ?? typed, wraps: true } satisfies Card));
      else notify(plainText(typed), "info");
    },
    // Pi itself writes `Error:` before it.
    refuse: (issues) => notify(plainText(withProgramName(issueLines(issues, false), COMMAND_PREFIX)), "error"),
    note: (text, level = "info") => notify(text, level),
    noteFailure: (thrown) => notify(failureText(thrown), "error"),
    addVisitCard: (card) => runUnlessReplaced(() => pi.appendEntry(VISIT_ENTRY, card)),
    // A person sees the widget.
    sendStatus: (cast) => mode === "rpc" && runUnlessReplaced(() => pi.appendEntry(CAST_ENTRY, cast)),
    sendNews: () => undefined,
    showResult: (result) => runUnlessReplaced(() => sendResult({ pi, ctx }, result)),
  };
}

/** [X3] Without a screen the answer goes to standard output and the outcome into the exit code. */
function screenForPrograms({ pi, ctx }: UserSession, mode: "print" | "json"): Screen {
  const print = (text: string, data: unknown): void => {
    if (mode === "print") writeFully(1, `${text}\n`);
    else writeFully(1, `${JSON.stringify({ type: "materia", data })}\n`);
  };
  return {
    isWatched: false,
    width: () => PLAIN_WIDTH,
    showAnswer: ({ lines, data, code }) => {
      print(plainText(withProgramName(lines, COMMAND_PREFIX)), data);
      process.exitCode = code;
    },
    refuse: (issues) => {
      const lines = withProgramName(issueLines(issues), COMMAND_PREFIX);
      if (mode === "print") writeFully(2, lines.map((each) => `${lineText(each)}\n`).join(""));
      else print("", { issues: issues.map(issueJson) });
      process.exitCode = 2;
    },
    note: (text) => writeFully(2, `${text}\n`),
    noteFailure: (thrown) => writeFully(2, `${failureText(thrown)}\n`),
    addVisitCard: (card) =>
      mode === "json"
        ? runUnlessReplaced(() => pi.appendEntry(VISIT_ENTRY, card))
        : writeFully(2, `${(card.lines[0] ?? []).map(({ text }) => text).join("")}\n`),
    sendStatus: (cast) => mode === "json" && print("", { cast }),
    sendNews: (castId, news) => mode === "json" && print("", { castId, ...news }),
    showResult: (result, code) => {
      runUnlessReplaced(() => sendResult({ pi, ctx }, result));
      if (mode === "print") print(result.plainText, undefined);
      process.exitCode = code;
    },
  };
}

function failureText(thrown: unknown): string {
  return `materia: ${thrownMessage(thrown)}`;
}

/** [X12] The only message of a cast in the user's conversation; it starts no turn. */
function sendResult({ pi }: UserSession, { card, conversationText: words, castId }: CastResult): void {
  pi.sendMessage(
    { customType: RESULT_ENTRY, content: words, display: true, details: { ...card, castId } },
    { triggerTurn: false },
  );
}

/** In these modes Pi captures writes to standard output, except on the file descriptor. */
function writeFully(file: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (thrown) {
      // A full pipe takes the rest later.
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** [X3] Programs receive everything that the screen would show. */
export function forwardToScreen(screen: Screen, watch: CastWatch): CastObserver {
  const sendSteps: CastWatch["onSteps"] = (all) => {
    for (const { event, after } of all) screen.sendNews(after.castId, { event });
  };
  const sendProgress: CastWatch["onProgress"] = (progress, { castId }) => screen.sendNews(castId, { progress });
  return {
    onItemQueued: watch.onItemQueued,
    onSteps: both(watch.onSteps, sendSteps),
    onProgress: both(watch.onProgress, sendProgress),
    onItemSteps: both(watch.onItemSteps, sendSteps),
    onItemProgress: both(watch.onItemProgress, sendProgress),
  };
}

/** [X49] Reports as data that a cast runs, and its result. */
export async function announceCast(
  screen: Screen,
  { castId, file: { graph, request } }: Pick<PreparedCast, "castId" | "file">,
  running: Promise<Result<RunOutcome>>,
): Promise<Result<RunOutcome>> {
  const cast = { castId, loadout: graph.name, request };
  screen.sendStatus({ ...cast, status: "running" });
  const ended = await running;
  screen.sendStatus({ ...cast, ...(ended.ok ? endSummary(ended.value) : { status: "failed" }) });
  return ended;
}

function endSummary(end: RunOutcome): Pick<CastStatusReport, "status" | "totals" | "reason"> {
  const { state } = end;
  const status = castStatus(state, false);
  const reason = end.kind === "broken" ? end.problem : status === "completed" ? "" : endReason(state);
  const summary = { status: end.kind === "paused" ? "paused" : status, totals: totalsOf(state) } as const;
  return reason === "" ? summary : { ...summary, reason };
}

const BELL = "\u0007";

/** [X60] The part of the status line that has news, until the person types. */
export const NEWS_KEY = "materia-news";

/** [X41] Calls a person who looks elsewhere: the bell, a desktop notice, and the window title until they type again. */
export function notifyPerson(ctx: ExtensionContext, words: string): void {
  runUnlessReplaced(() => {
    if (ctx.mode !== "tui") return;
    const notice = `materia: ${oneLine(words, 60)} - ${basename(ctx.cwd)}`;
    process.stdout.write(`${BELL}${desktopNotification(notice, process.env)}`);
    ctx.ui.setTitle(notice);
  });
}

/** Terminals known to pass a notice on to the desktop, each with its sequence; others might print it. */
export function desktopNotification(text: string, env: NodeJS.ProcessEnv): string {
  const { TERM_PROGRAM: program = "", TERM: term = "", TMUX, STY, VTE_VERSION } = env;
  const notice = oneLine(text, 200).replaceAll(";", ",");
  // A multiplexer between them does not pass it on.
  if (TMUX !== undefined || STY !== undefined) return "";
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/i.test(program)) return `\u001b]9;${notice}${BELL}`;
  if (term === "xterm-kitty") return `\u001b]99;;${notice}\u001b\\`;
  if (VTE_VERSION !== undefined || /^(?:foot|rxvt-unicode)/.test(term))
    return `\u001b]777;notify;pi-materia;${notice}${BELL}`;
  return "";
}

/** The person is here: the title as Pi itself writes it, and no news. */
export function restoreTitle(ctx: ExtensionContext): void {
  runUnlessReplaced(() => {
    if (ctx.hasUI) ctx.ui.setStatus(NEWS_KEY, undefined);
    const name = ctx.sessionManager.getSessionName();
    if (ctx.mode === "tui") ctx.ui.setTitle(["π", ...(name ? [name] : []), basename(ctx.cwd)].join(" - "));
  });
}

export async function showCommandOutput(
  screen: Screen,
  { workspace, from, left }: SessionProject,
  { command, options }: { readonly command: ImmediateCommand; readonly options: Options },
): Promise<Result<undefined>> {
  const found = await runCommand(command, workspace, from);
  if (!found.ok) return found;
  showAnswer(screen, found.value, options);
  if (left) screen.note(left.hint === undefined ? left.message : `${left.message}: ${left.hint}`, "warning");
  return ok(undefined);
}

export function showAnswer(screen: Screen, { code, data, lines }: CommandOutput, { json }: Options): void {
  screen.showAnswer({ lines: json ? jsonLines(data) : lines(screen.width()), data, code });
}

function jsonLines(data: unknown): readonly Line[] {
  return JSON.stringify(data, undefined, 2)
    .split("\n")
    .map((text) => line(text));
}
