import * as tui from "@earendil-works/pi-tui";
import { beforeAll, describe, expect, it } from "vitest";
import { deferDialogs, redirectTyping } from "../../src/apps/pi/session/dialogs.ts";
import { setPiTui } from "../../src/apps/pi/session/user-session.ts";

beforeAll(() => setPiTui(tui));

/** An editor with this text, and a dialog that takes the first Enter that reaches it. */
function person(text: string) {
  const listeners = new Set<(data: string) => { consume?: boolean; data?: string } | undefined>();
  const said: string[] = [];
  let editor = text;
  const { promise: chosen, resolve: choose } = Promise.withResolvers<string | undefined>();
  const ui = {
    select: () => {
      said.push("asked");
      return chosen;
    },
    confirm: async () => true,
    notify: (words: string) => void said.push(words),
    onTerminalInput: (listener: (data: string) => { consume?: boolean; data?: string } | undefined) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getEditorText: () => editor,
    setEditorText: (words: string) => void (editor = words),
  };
  return {
    ui,
    said,
    editor: () => editor,
    clear: () => void (editor = ""),
    press: (key: string) => {
      const isTaken = [...listeners].map((listener) => listener(key)).some((each) => each?.consume === true);
      if (!isTaken && key === "\r") choose("Yes");
    },
  };
}

describe("[X48] a dialog that comes by itself", () => {
  it("waits until what is typed was sent or cleared, and says so", async () => {
    const { ui, said, press, clear } = person("half a sent");
    const answer = deferDialogs(ui, "tui").select("Allow?", ["Yes", "No"]);
    press("e");
    await new Promise(setImmediate);
    expect(said).toEqual([expect.stringContaining("send or clear your text")]);
    clear();
    press("\r");
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(said.at(-1)).toBe("asked");
    press("\r");
    expect(await answer).toBe("Yes");
  });

  it("takes no Enter behind words that are typed into it: they go to the editor", async () => {
    const { ui, said, press, editor } = person("");
    const answer = deferDialogs(ui, "tui").select("Allow?", ["Yes", "No"]);
    await new Promise(setImmediate);
    for (const key of ["h", "é", "\r"]) press(key);
    expect([said, editor()]).toEqual([["asked", expect.stringContaining("Enter once more")], ""]);
    await new Promise(setImmediate);
    press("\r");
    expect([await answer, editor()]).toEqual(["Yes", "hé"]);
  });

  it("who was writing when another's choices came loses no word, and no Enter of theirs chooses", async () => {
    const { ui, said, press, editor } = person("half a ");
    const stop = redirectTyping(ui);
    const answer = ui.select();
    for (const key of ["s", "\r"]) press(key);
    expect(said).toEqual(["asked", expect.stringContaining("Enter once more")]);
    await new Promise(setImmediate);
    press("\r");
    expect(await answer).toBe("Yes");
    stop();
    expect(editor()).toBe("half a s");
  });

  it("who moves among the choices has seen them: their Enter chooses", async () => {
    const { ui, said, press } = person("half a sentence");
    const stop = redirectTyping(ui);
    const answer = ui.select();
    for (const key of ["\u001b[B", "\r"]) press(key);
    expect(await answer).toBe("Yes");
    expect(said).toEqual(["asked"]);
    stop();
  });

  it("asks at once where nobody types, and not at all for who is gone", async () => {
    const { ui, press } = person("");
    const answer = deferDialogs(ui, "tui").select("Allow?", ["Yes", "No"]);
    await new Promise(setImmediate);
    press("\r");
    expect(await answer).toBe("Yes");
    const gone = deferDialogs(person("typing").ui, "tui").select("Allow?", ["Yes"], { signal: AbortSignal.abort() });
    expect(await gone).toBeUndefined();
  });
});
