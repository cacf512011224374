import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { extensionQuestionTitle } from "../../../core/view/graph/labels.ts";
import type { AskPerson } from "../../../shell/ports.ts";
import { piTui } from "./user-session.ts";

type DialogUi = Pick<
  ExtensionUIContext,
  "select" | "confirm" | "notify" | "onTerminalInput" | "getEditorText" | "setEditorText"
>;

/** [X48] Dialogs that open by themselves: they wait until nothing is typed, and use no key meant for the editor. */
export function deferDialogs(
  ui: DialogUi,
  mode: ExtensionContext["mode"],
): Pick<ExtensionUIContext, "select" | "confirm"> {
  if (mode !== "tui") return ui;
  const calmly = async <T>(signal: AbortSignal | undefined, none: T, ask: () => Promise<T>): Promise<T> =>
    (await waitForEmptyEditor(ui, signal)) ? withTypingRedirected(ui, ask) : none;
  return {
    select: (title, options, given) => calmly(given?.signal, undefined, () => ui.select(title, options, given)),
    confirm: (title, message, given) => calmly(given?.signal, false, () => ui.confirm(title, message, given)),
  };
}

/** [YP19] For agents whose own sessions have none of Pi's dialogs, as in a rehearsal; undefined where nobody can be asked. */
export function askForExtensions({ ui, mode }: ExtensionContext): AskPerson | undefined {
  if (mode !== "tui" && mode !== "rpc") return undefined;
  const calm = deferDialogs(ui, mode);
  return async ({ extension, kind, text, choices = [], hint, ...place }, signal) => {
    const title = extensionQuestionTitle(extension, place);
    if (kind === "confirm") return (await calm.confirm(title, text, { signal })) ? "yes" : "no";
    if (kind === "select") return calm.select(`${title}\n${text}`, choices, { signal });
    return kind === "editor" ? ui.editor(`${title}\n${text}`, hint) : ui.input(`${title}\n${text}`, hint, { signal });
  };
}

/** [X50] Dialogs that the person asked for: they open at once, and no paste answers them. */
export function userOpenedDialogs({
  ui,
  mode,
}: ExtensionContext): Pick<ExtensionUIContext, "select" | "confirm" | "input"> {
  if (mode !== "tui") return ui;
  return {
    select: (...asked) => withTypingRedirected(ui, () => ui.select(...asked), false),
    confirm: (...asked) => withTypingRedirected(ui, () => ui.confirm(...asked), false),
    input: (...asked) => joinPastedLines(ui, () => ui.input(...asked)),
  };
}

/** Resolves to true when the editor is empty; to false if the answer is no longer needed. */
async function waitForEmptyEditor(ui: DialogUi, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return false;
  const isEmpty = (): boolean => ui.getEditorText().trim() === "";
  if (isEmpty()) return true;
  ui.notify("A cast has a question: send or clear your text to see it");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const off = ui.onTerminalInput(() => {
    // The editor gets the key after all listeners.
    setImmediate(() => isEmpty() && resolve(true));
    return undefined;
  });
  const stop = (): void => resolve(false);
  signal?.addEventListener("abort", stop);
  return promise.finally(() => {
    signal?.removeEventListener("abort", stop);
    off();
  });
}

/** For a field of one line: the lines of a paste joined by blanks. */
async function joinPastedLines<T>(ui: DialogUi, ask: () => Promise<T>): Promise<T> {
  const off = ui.onTerminalInput((data) => {
    const text = pastedText(data)
      ?.trim()
      .replace(/\s*\n\s*/g, " ");
    return text === undefined ? undefined : { data: `\u001b[200~${text}\u001b[201~` };
  });
  return ask().finally(off);
}

async function withTypingRedirected<T>(ui: DialogUi, ask: () => Promise<T>, isTyping?: boolean): Promise<T> {
  const stop = redirectTyping(ui, isTyping);
  return ask().finally(stop);
}

/** [X48] Letters choose nothing: they go to the editor, and so does text from before the choices opened, with its Enter. The returned function ends it and puts the text into the editor. */
export function redirectTyping(
  ui: Omit<DialogUi, "select" | "confirm">,
  typing: boolean = ui.getEditorText().trim() !== "",
): () => void {
  let typed = "";
  let isTyping = typing;
  const take = (data: string): boolean => {
    const { matchesKey } = piTui();
    const text = pastedText(data) ?? (isPrintable(data) ? data : undefined);
    if (text !== undefined) {
      typed += text;
      isTyping = true;
      return true;
    }
    // Moving among the choices shows that the person has seen them.
    if (matchesKey(data, "up") || matchesKey(data, "down")) isTyping = false;
    if (!isTyping || !(matchesKey(data, "enter") || data === "\n")) return false;
    // Wait: a terminal that marks no pastes sends the empty lines of one as several Enters.
    setImmediate(() => (isTyping = false));
    ui.notify("What you typed stays in the editor; Enter once more chooses");
    return true;
  };
  const off = ui.onTerminalInput((data) => (take(data) ? { consume: true } : undefined));
  return () => {
    off();
    if (typed !== "") ui.setEditorText(`${ui.getEditorText()}${typed}`);
  };
}

/** A terminal sends a paste between these marks: nothing inside it is a key. */
function isPrintable(data: string): boolean {
  return data !== "" && !/\p{Cc}/u.test(data);
}

const PASTE_PATTERN = /^\u001b\[200~(.*)\u001b\[201~$/s;

function pastedText(data: string): string | undefined {
  const text = PASTE_PATTERN.exec(data)?.[1];
  return text?.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}
