import * as pi from "@earendil-works/pi-coding-agent";
import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";
import { array, assert, constantFrom, integer, oneof, property, string } from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { conversationView } from "../../src/apps/pi/conversation/conversation-view.ts";
import type { TitledConversation } from "../../src/apps/pi/conversation/conversations.ts";
import { activityLines, IDLE_ACTIVITY, applyProgress } from "../../src/apps/pi/screen/agent-activity.ts";
import { drawCard, markdownLine } from "../../src/apps/pi/screen/card.ts";
import { turnCard } from "../../src/apps/pi/agents/turn-context.ts";
import { openWidget } from "../../src/apps/pi/screen/widget.ts";
import { setPiTui } from "../../src/apps/pi/session/user-session.ts";
import { line, toned } from "../../src/core/view/line.ts";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { SWEEP, sampleCases, sweepSize } from "../harness/sweep.ts";
import { itemsAtWork, retitled, watched } from "../parallel/harness/at-work.ts";

const { visibleWidth } = tui;
const NARROWEST = 20;
const WIDEST = 200;
const THEME = {
  fg: (_color: string, text: string) => `\u001b[36m${text}\u001b[39m`,
  bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
  italic: (text: string) => `\u001b[3m${text}\u001b[23m`,
  underline: (text: string) => `\u001b[4m${text}\u001b[24m`,
  strikethrough: (text: string) => `\u001b[9m${text}\u001b[29m`,
} as unknown as Theme; // no more of it is used

const runningWatch = await itemsAtWork(["a", "b"]);

beforeAll(() => {
  setPiTui(tui);
  pi.initTheme();
});

const SCRIPTS = [
  "हिन्दी में लिखा हुआ क्षत्रिय ज्ञान श्रीमान्",
  "ภาษาไทยไม่มีช่องว่างระหว่างคำ น้ำ กำลัง",
  "বাংলা ভাষায় লেখা ক্ষুদ্র বাক্য",
  "தமிழில் எழுதப்பட்ட ஒரு வாக்கியம் க்ஷ",
  "ភាសាខ្មែរ ជាភាសាផ្លូវការ",
  "မြန်မာဘာသာ စကား ကျွန်ုပ်",
  "שלום עולם مرحبا بالعالم",
  "漢字かな交じり文 한국어 문장",
  "👩‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "zalgo t̷̢̛̺̓e̴̡͇͒x̵̧̛t̶͙̾ ﷽ ཧཱུྃ ๏̯͡๏",
];

/** Text of all of Unicode: lone halves, single characters, whole clusters, and clusters of neighbours that join. */
const anyText = array(
  oneof(
    constantFrom(...SCRIPTS),
    string({ unit: "binary", maxLength: 40 }),
    string({ unit: "grapheme", maxLength: 40 }),
    string({ unit: integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
  ),
  { minLength: 1, maxLength: 6 },
).map((parts) => parts.join(""));

type Component = (text: string) => { readonly render: (width: number) => readonly string[] };

const COMPONENTS: Readonly<Record<string, Component>> = {
  "a card": (text) => drawCard({ lines: [line(toned("dim", "│ "), text), pieces(text)] }, false, THEME),
  "a card that wraps": (text) =>
    drawCard({ lines: [line("  ", toned("ok", text)), pieces(text)], wraps: true }, false, THEME),
  "an opened card": (text) => drawCard({ lines: [], opened: [line("│ ", text), pieces(text)] }, true, THEME),
  "a card with a line that gives way": (text) =>
    drawCard({ lines: [[{ text, gives: true }, { text: "→ end" }, { text }]] }, false, THEME),
  "the card of a turn": (text) =>
    drawCard(turnCard({ socket: "Socket-1", materia: text, prompt: `${text}\n${text}` } as TurnRequest), true, THEME),
  "the widget": (text) => widgetOf((width) => [line(text), ...doing(text, width)]),
};

describe("[X33] no text makes a row wider than the screen, as Pi measures it", SWEEP, () => {
  it.each(Object.entries(COMPONENTS))("%s, at every width", (_name, component) => {
    assert(
      property(anyText, (text) => {
        const { render } = component(text);
        for (let width = NARROWEST; width <= WIDEST; width += 1) expect(tooWide(render(width), width)).toBeUndefined();
      }),
      { numRuns: sweepSize(10, 40), seed: 1 },
    );
  });

  it("the rows of items at work, in the widget", () => {
    assert(
      property(anyText, integer({ min: NARROWEST, max: WIDEST }), (text, any) => {
        const { render } = itemsWidget(text);
        for (const width of [any, 40, 60, 80]) expect(tooWide(render(width), width)).toBeUndefined();
      }),
      { numRuns: sweepSize(40, 150), seed: 1 },
    );
    const rows = itemsWidget(`begins ${"x".repeat(493)}`).render(40);
    expect(rows.filter((row) => /WI-[12].*begins/.test(row))).toHaveLength(2);
  });

  it("a card with Markdown", () => {
    assert(
      property(anyText, integer({ min: NARROWEST, max: WIDEST }), (text, width) => {
        const card = {
          lines: [markdownLine(`# ${text}\n\n- **${text}**\n\n| ${text} | b |\n|---|---|\n| a | b |\n${text}`)],
        };
        expect(tooWide(drawCard(card, false, THEME).render(width), width)).toBeUndefined();
      }),
      { numRuns: sweepSize(60, 300), seed: 1 },
    );
  });

  it("what an agent says and does, as Pi's own components draw it", () => {
    assert(
      property(anyText, integer({ min: NARROWEST, max: WIDEST }), (text, width) => {
        expect(tooWide(viewOf(text).render(width), width)).toBeUndefined();
      }),
      { numRuns: sweepSize(60, 300), seed: 1 },
    );
  });

  it("each character of Unicode, alone and behind a letter that it may join", SWEEP, () => {
    const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
      (each) => !ALIKE.test(each),
    );
    const blocks = Array.from({ length: Math.ceil(all.length / BLOCK) }, (_, index) => index * BLOCK);
    for (const at of sampleCases(blocks, Math.ceil(blocks.length / 6))) {
      const text = all.slice(at, at + BLOCK).map((each) => `${each}क${each}a${each}`);
      for (const width of [NARROWEST, WIDEST])
        expect(
          tooWide(drawCard({ lines: [line(text.join("")), line(...text)] }, false, THEME).render(width), width),
        ).toBeUndefined();
    }
  });
});

describe("[X33] a card that cannot be drawn", () => {
  it.each<[what: string, data: unknown]>([
    ["of another program", { rows: 3 }],
    ["of nothing", undefined],
    ["with a tone of a later version", { lines: [[{ text: "a", tone: "sparkling" }]] }],
    ["with lines that are none", { lines: [["a"]] }],
    ["with an opened side that is none", { lines: [], opened: 7 }],
  ])("%s shows one plain line", (_what, data) => {
    expect(drawCard(data, true, THEME).render(80)).toEqual([" materia: this card cannot be drawn"]);
  });

  it("obeys no escape sequence and no line end that its text brings", () => {
    const [row = "", ...more] = drawCard({ lines: [line("a\u001b[2Jb\nc\td")] }, false, THEME).render(80);
    expect(more).toEqual([]);
    expect(row).toBe(" ab c    d");
  });
});

/** Thousands of which one is like the other, and what is no character. */
const ALIKE =
  /[\p{Cn}\p{Co}\p{Cs}\p{Script=Han}\p{Script=Hangul}\p{Script=Egyptian_Hieroglyphs}\p{Script=Tangut}\p{Script=Cuneiform}]/u;
const BLOCK = 64;

/** The same text in spans, cut wherever: where they meet, a cluster may go across. */
function pieces(text: string) {
  const third = Math.ceil(text.length / 3);
  return line(
    toned("strong", text.slice(0, third)),
    toned("accent", text.slice(third, 2 * third)),
    text.slice(2 * third),
  );
}

function doing(text: string, width: number) {
  const called = applyProgress(IDLE_ACTIVITY, { kind: "tool_started", id: "1", name: text, args: { path: text } });
  const said = applyProgress(called, { kind: "text", delta: text });
  return activityLines(said, width, true);
}

/** An agent with this text as prompt, as thought, as tool input and as tool output. */
function viewOf(text: string): ReturnType<Component> {
  const call = { type: "toolCall", id: "1", name: text, arguments: { path: text } };
  const said = { role: "assistant", content: [{ type: "thinking", thinking: text }, { type: "text", text }, call] };
  const result = { role: "toolResult", toolCallId: "1", toolName: text, content: [{ type: "text", text }] };
  const messages = [{ role: "user", content: text }, said, result] as unknown as ReturnType<
    TitledConversation["messages"]
  >; // as much as is drawn
  const conversation: TitledConversation = {
    title: text,
    cwd: "/",
    isWorking: () => true,
    messages: () => messages,
    streaming: () => undefined,
    partialOutput: () => undefined,
    toolOf: () => undefined,
  };
  const screen = { terminal: { rows: 500 }, requestRender: () => undefined } as unknown as tui.TUI; // as much as is asked of it
  const all = () => [conversation];
  return conversationView({
    pi,
    tui: screen,
    theme: THEME,
    conversations: { all },
    expanded: true,
    isInFront: () => true,
    close: () => undefined,
  });
}

function widgetOf(lines: Parameters<typeof openWidget>[1]["lines"]): ReturnType<Component> {
  let component: ReturnType<Component> | undefined;
  const setWidget = (_key: string, content: unknown): void => {
    if (typeof content === "function") component = content({ requestRender: () => undefined }, THEME);
  };
  const ctx = { mode: "tui", ui: { setWidget, setStatus: () => undefined } } as unknown as ExtensionContext;
  openWidget(ctx, { lines, status: () => "" }).close();
  if (!component) throw new Error("no widget was set");
  return component;
}

/** As a cast is watched whose items are all called this. */
function itemsWidget(title: string): ReturnType<Component> {
  return widgetOf(watched(retitled(runningWatch, title), "Esc interrupts").widgetContent.lines);
}

/** The first row that is wider than the screen, or is not one. */
function tooWide(rows: readonly string[], width: number): string | undefined {
  return rows.find((row) => visibleWidth(row) > width || row.includes("\n"));
}
