import headless from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { buildFlow } from "../../src/core/compile/flow.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import { boardLines, castBoard } from "../../src/core/view/progress/board.ts";
import { castListLines } from "../../src/core/view/cast-list.ts";
import { eventLine } from "../../src/core/view/report/event-lines.ts";
import { gridLines } from "../../src/core/view/graph/terminal-grid.ts";
import { mermaidText } from "../../src/core/view/graph/export.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import {
  columnsOf,
  cutColumns,
  padColumns,
  wrapColumns,
  fitLine,
  line,
  lineColumns,
  lineText,
  toned,
  type Line,
} from "../../src/core/view/line.ts";
import { graphOf, handed, play, startOf } from "../harness/build.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const HOSTILE: readonly (readonly [string, string])[] = [
  ["escape sequences", "\u001b[2J\u001b[31mred\u001b]0;title\u0007\u009b1m\u001b[0m"],
  ["line breaks", "one\ntwo\r\nthree\u2028four\tfive\u000bsix"],
  ["direction marks", "\u202eevil\u202c \u2066isolated\u2069"],
  ["10 kB", "long ".repeat(2000)],
  ["10 kB in one word", "x".repeat(10_000)],
  ["lone surrogates", "\ud800a\udfff"],
  ["wide and joined characters", "漢字👩‍👩‍👧é".repeat(50)],
  ["nothing to see", "\u200b\u0301"],
  ["nothing", ""],
];

function expectHarmless(lines: readonly Line[], width: number): void {
  for (const each of lines) {
    const text = lineText(each);
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
    expect(text.isWellFormed()).toBe(true);
    expect(lineColumns(each)).toBeLessThanOrEqual(width);
  }
}

describe("[C5] nothing that people or models write reaches the screen as more than text", () => {
  it.each(HOSTILE)("%s in requests, titles, replies, reasons and names", (_title, text) => {
    const name = `A${text
      .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "")
      .toWellFormed()
      .slice(0, 90)}Z`;
    const loadout = {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: name, edges: [{ when: "always" as const, to: "Socket-2" }] },
        "Socket-2": {
          materia: "Judge",
          parse: "json" as const,
          advance: { when: "satisfied" as const },
          edges: [{ when: "not_satisfied" as const, to: "Socket-2", maxTraversals: 1 }],
        },
      },
      loops: {
        each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" as const } },
      },
    };
    const graph = graphOf(loadout, { [name]: { prompt: "x", generator: true, label: text } }, "Test");
    const reply = handed({ satisfied: false, context: text, [text]: 1, passed: text });
    const { start, events, state } = play(startOf(graph, { request: text }), {
      [name]: [
        text,
        handed({
          workItems: [
            { title: text, context: text },
            { title: text, context: text },
          ],
        }),
      ],
      Judge: [text, reply, reply],
    });
    expect(state.phase.kind).toBe("ended");
    for (const width of [24, 80]) {
      expectHarmless(gridLines(graph, { width, worst: worstCase(graph, buildFlow(graph), start.limits) }), width);
      expectHarmless(storyLines(start, events, { width, lineage: { targets: [text, text], fromCastId: text } }), width);
      expectHarmless(boardLines(castBoard(buildTimeline(initialState(start), events), { now: 0 }), width), width);
      let at = initialState(start);
      for (const event of events) {
        const told = eventLine(at, event, width);
        if (told) expectHarmless([told], width);
        at = apply(at, event);
      }
      const cast = {
        castId: "c",
        status: "failed",
        loadout: text,
        request: text,
        startedAt: text,
        endedAt: null,
      } as const;
      expectHarmless(
        castListLines([{ ...cast, visits: 1, items: { done: 0, total: 2 }, tokens: 1, cost: 0 }], { now: 0, width }),
        width,
      );
    }
    expect(mermaidText(graph)).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/,
    );
  });

  it("what stays inside a width is measured in columns, not in characters", () => {
    expect(["abc", "漢字", "é", "👩‍👩‍👧", "●✓→…", "ကြောင့်", "की"].map(columnsOf)).toEqual([3, 4, 1, 2, 4, 5, 2]);
    expect([cutColumns("漢字漢字", 5), cutColumns("漢字", 4), cutColumns("abc", 0)]).toEqual(["漢字…", "漢字", ""]);
    expect(padColumns("漢", 4)).toBe("漢  ");
    expect(wrapColumns("a 漢字漢字 bcdefgh", 5)).toEqual(["a", "漢字", "漢字", "bcdef", "gh"]);
  });

  it("a text never takes more columns of a real terminal than were counted, in any script", async () => {
    const texts = [
      "हिन्दी क्षत्रिय की किताब",
      "ภาษาไทยน้ำใจ",
      "বাংলা ভাষায় লেখা",
      "தமிழ் மொழி கொடு",
      "ភាសាខ្មែរ ស្រឡាញ់",
      "العربية مُحَمَّد",
      "עברית שָׁלוֹם",
      "한국어 각각",
      "漢字かな交じり文",
      "👩‍👩‍👧 🇩🇪 ❤️ 👍🏽",
      "e\u0301 \u200bz\u200d",
    ];
    const terminal = new headless.Terminal({ cols: 200, rows: 50, allowProposedApi: true });
    for (const text of texts) {
      await new Promise<void>((done) => terminal.write(`\r\n${text}`, done));
      expect([text, columnsOf(text) >= terminal.buffer.active.cursorX]).toEqual([text, true]);
    }
    terminal.dispose();
  });

  it("a line that is cut keeps its tones and shows the cut", () => {
    const cut = fitLine(line(toned("ok", "abc"), toned("bad", "def")), 5);
    expect(cut).toEqual([toned("ok", "abc"), toned("bad", "d…")]);
    expect(fitLine(line("abc", "def"), 3)).toEqual([{ text: "ab…" }]);
  });
});
