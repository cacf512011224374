import { expect, it } from "vitest";
import { boardLines, castBoard } from "../../src/core/view/progress/board.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { STARTED_AT } from "../harness/build.ts";
import { play, startOf } from "../harness/play.ts";
import { always, graph, items, notSatisfied, satisfied, seat } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const config = graph(
  { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": seat("Ask", satisfied("end"), notSatisfied("Socket-1")) },
  { materia: { Ask: { type: "person", question: "May this go on?" } } },
);
const titles = Array.from({ length: 50 }, (_, index) => `ทำ «${index}» 🙂`);

it.each(["status", "show"])("[Q14] %s shows a person the plan in full, until they have answered", async (face) => {
  const { events } = await play(config, { says: { Plan: [items(...titles)] } });
  const now = STARTED_AT + 60_000;
  const lines =
    face === "show"
      ? storyLines(startOf(config), events, { width: 60 })
      : boardLines(castBoard(buildTimeline(initialState(startOf(config)), events), { now }), 60);
  const text = plainText(lines);
  expect(titles.filter((title) => !text.includes(title) || !text.includes(`about ${title}`))).toEqual([]);
});

it.each(["status", "show"])("[Q14] %s keeps the indent of what stands below a title", async (face) => {
  const { events } = await play(config, { says: { Plan: [items("Write the parser")] } });
  const start = startOf(config);
  const lines =
    face === "show"
      ? storyLines(start, events, { width: 60 })
      : boardLines(castBoard(buildTimeline(initialState(start), events), { now: STARTED_AT }), 60);
  const [title = "", context = ""] = plainText(lines)
    .split("\n")
    .filter((line) => line.includes("Write the parser"))
    .slice(-2);
  const indentOf = (text: string): number => text.length - text.trimStart().length;
  expect([title.trim(), context.trim()]).toEqual(["1. Write the parser", "about Write the parser"]);
  expect(indentOf(context)).toBeGreaterThan(indentOf(title));
});

it("[Q14] an answered question has a brief line", async () => {
  const { events } = await play(config, { says: { Plan: [items(...titles)] } });
  const at = events.at(-1)?.at ?? "";
  const judged = { type: "person_judged", socket: "Socket-2", visit: 1, satisfied: true, text: "" } as const;
  const later = [{ type: "cast_resumed", by: "a test" } as const, judged].map((body, index) => ({
    ...body,
    at,
    seq: events.length + 1 + index,
  }));
  const text = plainText(storyLines(startOf(config), [...events, ...later] as typeof events, { width: 60 }));
  expect(text).toContain("May this go on?");
  expect(text).not.toContain("«49»");
});
