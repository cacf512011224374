import { expect, it } from "vitest";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { graphOf, handed, play, playOn, startOf, type LoadoutInput, type PlayedReplies } from "../harness/build.ts";

const NO = handed({ satisfied: false, context: "still red" });

function single(materia: string, to: string, more: object = {}): LoadoutInput {
  return { entry: "Socket-1", sockets: { "Socket-1": { materia, edges: [{ when: "always", to }], ...more } } };
}

const loadout: LoadoutInput = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": {
      materia: "Judge",
      edges: [
        { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
        { when: "always", to: "end" },
      ],
    },
  },
};

it.each<
  [what: string, loadout: LoadoutInput, replies: Readonly<Record<string, readonly PlayedReplies[]>>, told: RegExp]
>([
  ["a way", loadout, { Build: ["a", "b", "c"], Judge: [NO, NO, NO] }, /2 of 1 \+ 1 allowed times/g],
  [
    "repairs",
    single("Judge", "end"),
    { Judge: ["no", "no", "no"] },
    /2 of 1 \+ 1 allowed repair|after 2 repair turns/g,
  ],
  [
    "returns",
    single("Build", "Socket-1"),
    { Build: ["a", "b", "c", "d", "e"] },
    /4 of 3 \+ 1 allowed returns|return number 5/g,
  ],
])("[C36] after an allowance the limit and the reason count alike: %s", (_what, given, replies, told) => {
  const start = startOf(graphOf(given, { Judge: { prompt: "x", parse: "json" }, Build: { prompt: "x" } }));
  const raised = [
    { type: "limits_raised", allow: 1 },
    { type: "cast_resumed", by: "recast" },
  ] as const;
  const rest = Object.entries(replies).map(([name, said]) => [name, said.slice(-1)]);
  const { events } = playOn(play(start, replies), raised, Object.fromEntries(rest));
  const text = plainText(storyLines(start, events, { width: 200 }));
  expect(text.slice(text.indexOf("limits raised: 1 more allowed")).match(told)).toHaveLength(2);
});
