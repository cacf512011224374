import type { AgentSession, ExtensionUIContext, ExtensionUIDialogOptions } from "@earendil-works/pi-coding-agent";
import type { ExtensionQuestion } from "../../core/wire/stream.ts";
import { oneLine } from "../../core/model/text.ts";
import type { TurnProgress } from "../ports.ts";
import { findOnStack } from "./extension-files.ts";
import type { SessionTurn } from "./pi-sdk.ts";
import type { Timer } from "./turn-guard.ts";

/** [YP19] Extensions of a turn ask the person who drives the cast. Without one their dialogs throw, which blocks a tool call. */
export async function bindDialogs(session: AgentSession, turn: SessionTurn, after: Timer): Promise<void> {
  const { extensionRunner: runner } = session;
  const canAsk = turn.request.askPerson !== undefined;
  // Pi takes every given screen for that of a person.
  if (!canAsk) runner.hasUI = () => false;
  const uiContext = { ...runner.getUIContext(), ...createDialogs(session, turn, after) };
  await session.bindExtensions({ uiContext, mode: canAsk ? "rpc" : "print", onError: () => undefined });
}

type Dialogs = Pick<ExtensionUIContext, "select" | "confirm" | "input" | "editor">;
type Dialog = Pick<ExtensionQuestion, "kind" | "text" | "choices" | "hint">;

function createDialogs(session: AgentSession, turn: SessionTurn, after: Timer): Dialogs {
  const ask = (asked: Dialog, options: ExtensionUIDialogOptions = {}) => {
    const { castId, socket, materia, item } = turn.request;
    const extension = callingExtensions(session, turn);
    const question = { castId, socket, materia, item, extension, ...asked };
    return recordDialog(turn, question, askPerson(question, turn, { after, ...options }));
  };
  return {
    confirm: async (title, message, options) =>
      (await ask({ kind: "confirm", text: `${title}\n${message}`.trim() }, options)) === "yes",
    select: async (title, choices, options) => {
      const chosen = await ask({ kind: "select", text: title, choices: [...choices] }, options);
      return choices.find((each) => each === chosen);
    },
    input: (title, hint = "", options) => ask({ kind: "input", text: title, hint }, options),
    editor: (title, hint = "") => ask({ kind: "editor", text: title, hint }),
  };
}

const NOBODY = "nobody can be asked here: cast in Pi, in the page, or at a terminal without --json and --quiet";

async function askPerson(
  question: ExtensionQuestion,
  { request, over }: SessionTurn,
  { after, signal, timeout }: ExtensionUIDialogOptions & { readonly after: Timer },
): Promise<string | undefined> {
  const late = new AbortController();
  const ended = AbortSignal.any([over, late.signal, ...(signal ? [signal] : [])]);
  if (ended.aborted) return undefined;
  if (!request.askPerson)
    throw new Error(`the extension ${question.extension} asks "${oneLine(question.text, 300)}", and ${NOBODY}`);
  const cancel = timeout === undefined ? undefined : after(timeout, () => late.abort());
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  ended.addEventListener("abort", () => resolve(undefined));
  const answer = request.askPerson(question, ended);
  const given = await Promise.race([answer, closed]).finally(cancel);
  // [D28] The process may have slept: an answer to a cast that another one owns does nothing.
  return (await request.holdsClaim()) ? given : undefined;
}

/** [YP20] Records a dialog of an extension. While a person decides, the agent does not count as silent. */
export async function recordDialog<T>(
  { request, over, suspendTimeout }: SessionTurn,
  { extension, kind, text: question }: Pick<ExtensionQuestion, "extension" | "kind" | "text">,
  dialog: Promise<T>,
): Promise<T> {
  const resume = suspendTimeout();
  const since = performance.now();
  const report = (outcome: DialogOutcome): void => {
    const ms = Math.round(performance.now() - since);
    if (!over.aborted) request.onProgress({ kind: "extension_asked", extension, question, ...outcome, ms });
  };
  try {
    const answer = await dialog;
    report(dialogOutcome(kind, answer));
    return answer;
  } catch (thrown) {
    report({ outcome: "nobody" });
    throw thrown;
  } finally {
    resume();
  }
}

type DialogOutcome = Pick<Extract<TurnProgress, { kind: "extension_asked" }>, "outcome" | "choice">;

/** A typed text may be a password: only its presence is recorded. */
function dialogOutcome(kind: ExtensionQuestion["kind"], answer: unknown): DialogOutcome {
  if (answer === undefined) return { outcome: "dismissed" };
  if (kind === "confirm") return { outcome: answer === "yes" || answer === true ? "yes" : "no" };
  return kind === "select" && typeof answer === "string" ? { outcome: "chosen", choice: answer } : { outcome: "typed" };
}

/** The extension whose code calls, or all that may have called. */
export function callingExtensions({ resourceLoader }: AgentSession, { request }: Pick<SessionTurn, "request">): string {
  const { extensions = [] } = request;
  const found = findOnStack(resourceLoader.getExtensions().extensions.map(({ resolvedPath }) => resolvedPath));
  return (found.length === 0 || (found.length === 1 && extensions.length === 1) ? extensions : found).join(" or ");
}
