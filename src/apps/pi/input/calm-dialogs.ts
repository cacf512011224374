import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { piTui } from "../session/tui.ts";

type Ui = Pick<
  ExtensionUIContext,
  "select" | "confirm" | "notify" | "onTerminalInput" | "getEditorText" | "setEditorText"
>;

/** [X48] Dialogs that come by themselves: they wait until nothing is typed, and take no key that was meant for the editor. */
export function calmDialogs(ui: Ui, mode: ExtensionContext["mode"]): Pick<ExtensionUIContext, "select" | "confirm"> {
  if (mode !== "tui") return ui;
  const calmly = async <T>(signal: AbortSignal | undefined, none: T, ask: () => Promise<T>): Promise<T> =>
    (await emptyEditor(ui, signal)) ? withoutTyping(ui, ask) : none;
  return {
    select: (title, options, given) => calmly(given?.signal, undefined, () => ui.select(title, options, given)),
    confirm: (title, message, given) => calmly(given?.signal, false, () => ui.confirm(title, message, given)),
  };
}

/** Whether the editor is empty, at last; not where nobody waits for the answer any more. */
async function emptyEditor(ui: Ui, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return false;
  const isEmpty = (): boolean => ui.getEditorText().trim() === "";
  if (isEmpty()) return true;
  ui.notify("A cast asks you something: send or clear what you type, and it is shown");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const off = ui.onTerminalInput(() => {
    // The editor has the key when all listeners have heard it.
    setImmediate(() => isEmpty() && resolve(true));
    return undefined;
  });
  const stop = (): void => resolve(false);
  signal?.addEventListener("abort", stop);
  const empty = await promise;
  signal?.removeEventListener("abort", stop);
  off();
  return empty;
}

/** Letters choose nothing in such a dialog: who types them writes to the editor, and the Enter behind them is meant for it. */
async function withoutTyping<T>(ui: Ui, ask: () => Promise<T>): Promise<T> {
  let typed = "";
  let isTyping = false;
  const off = ui.onTerminalInput((data) => {
    if (isText(data)) {
      typed += data;
      isTyping = true;
      return { consume: true };
    }
    const isSent = isTyping && piTui().matchesKey(data, "enter");
    isTyping &&= !isSent;
    if (isSent) ui.notify("What you typed goes back into the editor; Enter once more chooses");
    return isSent ? { consume: true } : undefined;
  });
  try {
    return await ask();
  } finally {
    off();
    if (typed !== "") ui.setEditorText(`${typed}${ui.getEditorText()}`);
  }
}

function isText(data: string): boolean {
  return data !== "" && !/\p{Cc}/u.test(data);
}
