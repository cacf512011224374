import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";

/** Shown texts, and the waiters for them. */
export function openMemory() {
  const all: string[] = [];
  const taken = new Set<number>();
  let waiters: { pattern: RegExp; resolve: (text: string) => void }[] = [];
  const add = (text: string): void => {
    const at = all.push(text) - 1;
    const waiter = waiters.find(({ pattern }) => pattern.test(text));
    if (!waiter) return;
    waiters = waiters.filter((each) => each !== waiter);
    taken.add(at);
    waiter.resolve(text);
  };
  const sees = (pattern: RegExp): Promise<string> => {
    const at = all.findIndex((text, index) => !taken.has(index) && pattern.test(text));
    if (at !== -1) {
      taken.add(at);
      return Promise.resolve(all[at] ?? "");
    }
    const { promise, resolve } = Promise.withResolvers<string>();
    waiters.push({ pattern, resolve });
    return promise;
  };
  return { all: () => [...all], add, sees };
}

interface ScreenAnswers {
  readonly confirm?: (title: string, message: string) => boolean | Promise<boolean>;
  readonly editorText?: string;
  /** The problem with which the screen refuses to report keys. */
  readonly keyFault?: string;
  /** What is chosen and typed in dialogs; left without an answer unless set. */
  readonly select?: (title: string) => string | undefined;
  readonly input?: (title: string) => string | undefined;
  readonly editor?: (text: string) => string | undefined;
}

/** Own methods only: Pi copies the object. */
export function recordingScreen(setting: ScreenAnswers, add: (text: string) => void) {
  const listeners = new Set<(data: string) => unknown>();
  const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
  const ui = {
    theme,
    notify: (text: string, level = "info") => add(`${level}: ${text}`),
    setStatus: (_key: string, text: string | undefined) => add(`status: ${text ?? ""}`),
    setWidget: (_key: string, content: unknown) => add(`widget: ${widgetText(content, theme)}`),
    confirm: async (title: string, message: string) => {
      add(`confirm: ${title} ${message}`);
      return setting.confirm?.(title, message) ?? false;
    },
    select: async (title: string, options: readonly string[]) => {
      add(`select: ${title}`);
      const wanted = setting.select?.(title);
      return options.find((option) => option === wanted);
    },
    input: async (title: string) => {
      add(`input: ${title}`);
      return setting.input?.(title);
    },
    editor: async (_title: string, text = "") => {
      add(`edited: ${text}`);
      return setting.editor?.(text);
    },
    custom: async () => undefined,
    onTerminalInput: (listener: (data: string) => unknown) => {
      if (setting.keyFault !== undefined) throw new Error(setting.keyFault);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getEditorText: () => setting.editorText ?? "",
    getToolsExpanded: () => false,
    getAllThemes: () => [],
    getTheme: nothing,
    setTheme: () => ({ success: true }),
    getEditorComponent: nothing,
    setWorkingMessage: nothing,
    setWorkingVisible: nothing,
    setWorkingIndicator: nothing,
    setHiddenThinkingLabel: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setTitle: (title: string) => add(`title: ${title}`),
    setEditorText: (text: string) => add(`editor: ${text}`),
    pasteToEditor: nothing,
    setEditorComponent: nothing,
    addAutocompleteProvider: nothing,
    setToolsExpanded: nothing,
  };
  return {
    ui: ui as unknown as ExtensionUIContext,
    press: (keys: string) => [...listeners].map((listener) => listener(keys)).find((each) => each !== undefined),
  };
}

function widgetText(content: unknown, theme: unknown): string {
  if (Array.isArray(content)) return content.join("\n");
  if (typeof content !== "function") return "";
  const tui = { requestRender: () => undefined, getFocusedComponent: () => "editor" };
  const component = content(tui, theme) as { readonly render: (width: number) => readonly string[] };
  return component.render(100).join("\n");
}

function nothing(): void {}
