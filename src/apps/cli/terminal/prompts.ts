import { createInterface } from "node:readline/promises";
import { setImmediate } from "node:timers/promises";
import type { Issue } from "../../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import type { Resumption } from "../../../shell/casting/resume-cast.ts";
import { describeProgramsToTrust, asTrusted, type Workspace } from "../../../shell/workspace/workspace.ts";
import { line, toned, type Line } from "../../../core/view/line.ts";
import { printLines, printText, type Io, type CliContext } from "./io.ts";
import { resolve } from "node:path";
import { openPiHost } from "../../../shell/workspace/agent-hosts.ts";
import { billLines } from "../../../core/view/graph/bill.ts";
import { activeBill } from "../../../shell/commands/forecast.ts";
import type { CommandCaller } from "../../../shell/commands/prepare.ts";
import type { AskPerson } from "../../../shell/ports.ts";
import type { ExtensionQuestion } from "../../../core/wire/stream.ts";
import { extensionQuestionTitle } from "../../../core/view/graph/labels.ts";
import type { GateReview } from "../../../shell/commands/waiting-review.ts";

/** [S1] Trust by `--trust` or by an explicit yes; stored only when the command runs. */
export async function askForTrust(request: CliContext): Promise<{ workspace: Workspace; remember: () => void }> {
  const { io, options, workspace } = request;
  const { trust } = workspace;
  if (trust.kind === "given" || options.trust) return asTrusted(workspace);
  if (!io.canAsk) return { workspace, remember: () => undefined };
  printText(
    io,
    `${sanitizeForTerminal(trust.file)} is new or has changed. Its materia and loadouts decide what agents do here${trust.commands.length === 0 ? "." : ", and its utilities run:"}`,
  );
  for (const command of trust.commands) printText(io, `  ${sanitizeForTerminal(command)}`);
  for (const text of describeProgramsToTrust({ ...trust, commands: [] })) printText(io, sanitizeForTerminal(text));
  const bill = await activeBill(workspace, options);
  if (bill) printLines(io, billLines(bill), io.err);
  return (await askYes(io, "Trust it as it is now? [y/N] "))
    ? asTrusted(workspace)
    : { workspace, remember: () => undefined };
}

/** [S15] Asks about a cast that was started elsewhere, with everything it would run. */
export async function askToTrustCast(io: Io, issues: readonly Issue[]): Promise<boolean> {
  if (!io.canAsk) return false;
  for (const { message } of issues) printText(io, sanitizeForTerminal(message));
  return askYes(io, "Trust exactly this cast? [y/N] ");
}

/** The person's answer to a waiting agent; undefined if they leave. */
export async function askForAnswer(io: Io, reply: string, castId: string): Promise<Resumption | undefined> {
  printText(io, `${sanitizeForTerminal(reply)}\n`);
  printLines(io, [waitingLine(castId, "Type an answer, or press Enter to take this result.")], io.err);
  const answer = await promptLine(io, "> ");
  if (answer === undefined) return undefined;
  return answer.trim() === "" ? { kind: "finish" } : { kind: "answer", text: answer.trim() };
}

/** [Q6, Q16] Yes or no, with an optional message; undefined if they leave. */
export async function askYesOrNo(io: Io, review: GateReview, castId: string): Promise<Resumption | undefined> {
  printText(io, `${sanitizeForTerminal(review.question)}\n`);
  const more = review.patch ? " diff shows the whole change." : "";
  const how = waitingLine(castId, `Type yes or no, with a message if you like.${more}`);
  printLines(io, [...review.about, line(""), how], io.err);
  for (let prompt = "yes or no > "; ;) {
    const answer = await promptLine(io, prompt);
    if (answer === undefined) return undefined;
    const [, word = "", text = ""] = /^\s*(\S*)\s*(.*)$/.exec(answer) ?? [];
    const patch = word === "diff" ? await review.patch?.() : undefined;
    if (patch) printLines(io, patch, io.err);
    prompt = patch ? "yes or no > " : "please begin with yes or no > ";
    if (/^y(es)?[.,:;!]?$/i.test(word)) return text === "" ? { kind: "finish" } : { kind: "answer", text: text.trim() };
    if (!/^no?[.,:;!]?$/i.test(word)) continue;
    const reason = text === "" ? await promptLine(io, "why > ") : text;
    if (reason === undefined) return undefined;
    if (reason.trim() !== "") return { kind: "reject", text: reason.trim() };
  }
}

function waitingLine(castId: string, how: string): Line {
  return line(toned("wait", `Waiting for you (${castId}).`), ` ${how}`);
}

/** [YP21] Asks for extensions, one after the other: two agents may ask at once. `hold` keeps the screen still. */
export function askForExtensions(io: Io, hold: () => () => void): AskPerson {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = last.then(async () => {
      if (signal.aborted) return undefined;
      const release = hold();
      return askForExtension(io, question, signal).finally(release);
    });
    last = asked.catch(() => undefined);
    return asked;
  };
}

async function askForExtension(io: Io, question: ExtensionQuestion, signal: AbortSignal): Promise<string | undefined> {
  const { kind, choices = [], hint = "" } = question;
  // Marked: a line of the extension must not look like one of this program.
  const quote = (text: string) =>
    sanitizeForTerminal(text)
      .split("\n")
      .map((each) => line(toned("dim", "│ "), each));
  const numbered = choices.flatMap((each, at) => quote(`${at + 1}. ${each.replace(/\s+/g, " ")}`));
  const about =
    hint === "" ? [] : [line(toned("dim", kind === "editor" ? "Enter alone keeps:" : "For example:")), ...quote(hint)];
  const head = line(toned("wait", extensionQuestionTitle(question.extension, question)));
  printLines(io, [line(""), head, ...quote(question.text), ...numbered, ...about], io.err);
  await discardTyped(io);
  const wanted = { confirm: "yes or no", select: `1 to ${choices.length}`, input: "text", editor: "text" }[kind];
  for (;;) {
    const typed = (await promptLine(io, `${wanted} > `, signal))?.trim();
    if (typed === undefined) return undefined;
    if (kind === "editor") return typed === "" ? hint : typed;
    if (kind === "input") return typed;
    if (kind === "select" && choices[Number(typed) - 1] !== undefined) return choices[Number(typed) - 1];
    if (kind === "confirm" && /^(y|yes|n|no)$/i.test(typed)) return /^y/i.test(typed) ? "yes" : "no";
  }
}

/** What was typed before the question could be read does not answer it. */
async function discardTyped({ stdin }: Io): Promise<void> {
  stdin.resume();
  // The first may come before the next read.
  await setImmediate();
  await setImmediate();
  stdin.pause();
}

/** Ctrl-D declines. Ctrl-C reaches the program: it stops the cast, which closes the question. */
async function promptLine(io: Io, question: string, signal?: AbortSignal): Promise<string | undefined> {
  const reader = createInterface({ input: io.stdin, output: process.stderr });
  signal?.addEventListener("abort", () => reader.close(), { once: true });
  if (signal) reader.on("SIGINT", () => process.emit("SIGINT"));
  const closed = new Promise<undefined>((resolve) => reader.once("close", () => resolve(undefined)));
  try {
    const leave = new Promise<undefined>((resolve) => reader.once("SIGINT", () => resolve(undefined)));
    return await Promise.race([reader.question(question), closed, leave]);
  } finally {
    reader.close();
    io.err("");
  }
}

export async function askYes(io: Io, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await promptLine(io, question))?.trim() ?? "");
}

export async function commandCallerFor(request: CliContext): Promise<CommandCaller> {
  return { ...draftCallerFor(request), ...(await askForTrust(request)) };
}

/** The same for drafts: they run nothing of the project, so that nobody is asked for trust. */
export function draftCallerFor({ io, options }: CliContext): Pick<CommandCaller, "options" | "openReal" | "texts"> {
  // Relative to the folder where the command was typed, like every file on the command line.
  const named = options.rehearse === undefined ? {} : { rehearse: resolve(io.cwd, options.rehearse) };
  const texts = { from: io.cwd, readInput: (most: number) => readStandardInput(io, most) };
  return { options: { ...options, ...named }, openReal: openPiHost, texts };
}

/** [C29] Reads standard input to its end; undefined if it is longer than `most`. */
async function readStandardInput(io: Pick<Io, "err" | "stdin">, most: number): Promise<Buffer | undefined> {
  if (io.stdin.isTTY) io.err("Type the text, then Enter and Ctrl-D.\n");
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of io.stdin as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
