import * as pi from "@earendil-works/pi-coding-agent";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { beforeAll, describe, expect, it } from "vitest";
import { conversationView } from "../../src/apps/pi/conversation/conversation-view.ts";
import { askGate, askHowToContinue, askLeave } from "../../src/apps/pi/casts/cast-dialogs.ts";
import { askReplyDecision } from "../../src/apps/pi/casts/waiting-cast.ts";
import { setPiTui } from "../../src/apps/pi/session/user-session.ts";

beforeAll(() => {
  setPiTui(tui);
  pi.initTheme();
});

const ENTER = "\r";
const DOWN = "\u001b[B";
const screen = { terminal: { rows: 40, columns: 80 }, requestRender: () => undefined } as unknown as tui.TUI; // all that is asked of it

/** A terminal with Pi's own reader of keys and its own dialogs; what is typed outside of them goes to the editor. */
function person() {
  const listeners = new Set<(data: string) => { consume?: boolean; data?: string } | undefined>();
  const stdin = new tui.StdinBuffer();
  const keys = tui.getKeybindings() as ConstructorParameters<typeof pi.ExtensionEditorComponent>[1]; // of this very copy
  let editor = "";
  let front: tui.Component | undefined;
  const give = (data: string): void => {
    let now = data;
    for (const listener of listeners) {
      const heard = listener(now);
      if (heard?.consume) return;
      now = heard?.data ?? now;
    }
    front?.handleInput?.(now);
  };
  stdin.on("data", give);
  stdin.on("paste", (text) => give(`\u001b[200~${text}\u001b[201~`));
  const shown = <T>(open: (done: (value: T | undefined) => void) => tui.Component): Promise<T | undefined> =>
    new Promise((resolve) => {
      front = open((value) => {
        front = undefined;
        resolve(value);
      });
    });
  const ui = {
    select: (title: string, options: string[]) =>
      shown<string>((done) => new pi.ExtensionSelectorComponent(title, options, done, () => done(undefined))),
    input: (title: string) =>
      shown<string>((done) => new pi.ExtensionInputComponent(title, "", done, () => done(undefined))),
    editor: (title: string, text: string) =>
      shown<string>((done) => new pi.ExtensionEditorComponent(screen, keys, title, text, done, () => done(undefined))),
    notify: () => undefined,
    onTerminalInput: (listener: (data: string) => { consume?: boolean; data?: string } | undefined) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getEditorText: () => editor,
    setEditorText: (words: string) => void (editor = words),
  };
  const rests = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  };
  return {
    ctx: { ui, hasUI: true, mode: "tui" } as unknown as ExtensionContext, // all that a dialog needs of it
    editor: () => editor,
    inFront: () => front,
    show: (component: tui.Component) => void (front = component),
    /** As a terminal gives it: in pieces of any size. */
    gives: async (...pieces: readonly string[]) => {
      await rests();
      for (const piece of pieces) stdin.process(piece);
      await rests();
    },
  };
}

function pasted(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

const PASTES: readonly [what: string, text: string, kept: string][] = [
  ["many lines", "fix this\r\rand that\r", "fix this\n\nand that\n"],
  ["keys", "a\u001bb\u0003c\u001b[13ud\u0004", "abc[13ud"],
  ["scripts of the world", "नमस्ते\nสวัสดี مرحبا 👩‍👩‍👧", "नमस्ते\nสวัสดี مرحبا 👩‍👩‍👧"],
  ["one letter that moves elsewhere", "q", "q"],
];

describe("[X50] a paste is text, with any content", () => {
  it.each(PASTES)(
    "%s among the choices: nothing is chosen or left, and the editor has it",
    async (_what, text, kept) => {
      for (const ask of [askPlanOf, askGateOf, askStopOf, askLeaveOf]) {
        const { ctx, gives, editor, inFront } = person();
        const answer = ask(ctx);
        const whole = pasted(text);
        await gives(whole.slice(0, 4), whole.slice(4, 9), whole.slice(9));
        const first = inFront();
        expect(first).toBeDefined();
        // The Enter behind a paste is meant for the editor, too; the one behind that is not.
        await gives(ENTER);
        expect(inFront()).toBe(first);
        await gives(ENTER);
        await answer;
        expect(editor()).toBe(kept);
      }
    },
  );

  it("lines that come as if they were typed choose nothing either", async () => {
    const { ctx, gives, inFront, editor } = person();
    const answer = askPlanOf(ctx);
    await gives(`fix this${ENTER}${ENTER}and that${ENTER}${ENTER}`);
    expect(inFront()).toBeDefined();
    await gives(ENTER);
    expect([await answer, editor()]).toEqual([{ kind: "finish" }, "fix thisand that"]);
  });

  it.each(PASTES)(
    "%s in a field: its lines stand beside each other, and only the person's Enter sends them",
    async (_what, text, kept) => {
      const { ctx, gives, inFront } = person();
      const answer = askPlanOf(ctx);
      await gives(DOWN, ENTER);
      await gives(pasted(text));
      expect(inFront()).toBeInstanceOf(pi.ExtensionInputComponent);
      await gives(ENTER);
      expect(await answer).toEqual({ kind: "answer", text: kept.trim().replace(/\n+/g, " ") });
    },
  );

  it("a long paste into a plan that is edited is taken whole, and nothing in it saves or leaves", async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at} नमस्ते`).join("\n");
    const { ctx, gives, inFront } = person();
    const answer = askReplyDecision(ctx, "the plan: ");
    await gives(DOWN, DOWN, ENTER);
    await gives(pasted(`${lines}\u001b\u0003`));
    expect(inFront()).toBeInstanceOf(pi.ExtensionEditorComponent);
    await gives(ENTER);
    expect(await answer).toEqual({ kind: "finish", reply: `the plan: ${lines}` });
  });

  it("the view of an agent's work is not closed by one", async () => {
    const { gives, show } = person();
    let closed = 0;
    const conversations = { all: () => [] };
    const theme = {} as unknown as pi.Theme; // nothing is drawn
    const close = () => void (closed += 1);
    show(conversationView({ pi, tui: screen, theme, conversations, expanded: false, isInFront: () => true, close }));
    for (const [, text] of PASTES) await gives(pasted(text));
    expect(closed).toBe(0);
    await gives("q");
    expect(closed).toBe(1);
  });
});

function askPlanOf(ctx: ExtensionContext): Promise<unknown> {
  return askReplyDecision(ctx, "the plan");
}

function askGateOf(ctx: ExtensionContext): Promise<unknown> {
  const signal = new AbortController().signal;
  return askGate(ctx, { question: "Good?", isWanted: false, showChange: undefined, signal });
}

function askStopOf(ctx: ExtensionContext): Promise<unknown> {
  return askHowToContinue(ctx, "Build", new AbortController().signal);
}

function askLeaveOf(ctx: ExtensionContext): Promise<unknown> {
  return askLeave(ctx, { refusals: [], notes: [] }, new AbortController().signal);
}
