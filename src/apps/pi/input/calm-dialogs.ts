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

async function withoutTyping<T>(ui: Ui, ask: () => Promise<T>): Promise<T> {
  const stop = keepTyping(ui);
  try {
    return await ask();
  } finally {
    stop();
  }
}

/**
 * [X48] Letters choose nothing among choices: who types them writes to the editor, and so does who was writing when the
 * choices came; the Enter behind it is meant for the editor. The answer ends it, and puts what was typed where it belongs.
 */
export function keepTyping(ui: Omit<Ui, "select" | "confirm">): () => void {
  let typed = "";
  let isTyping = ui.getEditorText().trim() !== "";
  const take = (data: string): boolean => {
    const { matchesKey } = piTui();
    if (isText(data)) {
      typed += data;
      isTyping = true;
      return true;
    }
    // Who moves among the choices has seen them.
    if (matchesKey(data, "up") || matchesKey(data, "down")) isTyping = false;
    if (!isTyping || !matchesKey(data, "enter")) return false;
    isTyping = false;
    ui.notify("What you typed stays in the editor; Enter once more chooses");
    return true;
  };
  const off = ui.onTerminalInput((data) => (take(data) ? { consume: true } : undefined));
  return () => {
    off();
    if (typed !== "") ui.setEditorText(`${ui.getEditorText()}${typed}`);
  };
}

function isText(data: string): boolean {
  return data !== "" && !/\p{Cc}/u.test(data);
}
