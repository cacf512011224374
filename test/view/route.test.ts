import { describe, expect, it } from "vitest";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { graphOf, handed, play, startOf, workItems, type LoadoutInput, type PlayedReplies } from "../harness/build.ts";

type Edges = NonNullable<LoadoutInput["sockets"][string]["edges"]>;
type Exits = NonNullable<NonNullable<LoadoutInput["loops"]>[string]["exits"]>;

/** The lines of the last way that the cast took. */
function lastRoute(
  loadout: LoadoutInput,
  replies: Readonly<Record<string, readonly PlayedReplies[]>>,
): readonly string[] {
  const graph = graphOf(loadout, { Plan: { prompt: "Plan.", generator: true } });
  const { start, events } = play(startOf(graph), replies);
  const last = events.map(({ type }) => type).lastIndexOf("edge_taken");
  const lines = plainText(storyLines(start, events.slice(0, last + 1), { width: 100 })).split("\n");
  return lines
    .slice(
      lines.findLastIndex((text) => /^ {4}[^ ]/.test(text)),
      lines.lastIndexOf(""),
    )
    .map((text) => text.slice(4));
}

describe("[C15] why a way was taken and the others were not", () => {
  const judged = (edges: Edges, said: object): readonly string[] =>
    lastRoute(
      {
        entry: "Socket-1",
        sockets: { "Socket-1": { materia: "Judge", parse: "json", edges }, "Socket-2": { materia: "B" } },
      },
      { Judge: [handed(said)] },
    );

  it.each<[string, Edges, object, readonly string[]]>([
    ["no edges", [], {}, ["→ end: it has no edges"]],
    [
      "nothing matches",
      [{ when: "satisfied", to: "Socket-2" }],
      { satisfied: false },
      ["→ end: no edge matched, satisfied was false", "  ✓ satisfied → Socket-2 (B): not taken, satisfied was false"],
    ],
    [
      "the first of two that match",
      [
        { when: "satisfied", to: "Socket-2" },
        { when: "always", to: "end" },
      ],
      { satisfied: true },
      ["✓ satisfied → Socket-2 (B)", "  → end: not taken, an earlier edge matched"],
    ],
    [
      "the same guard twice",
      [
        { when: "satisfied", to: "Socket-2" },
        { when: "satisfied", to: "end" },
        { when: "not_satisfied", to: "end" },
      ],
      { satisfied: true },
      [
        "✓ satisfied → Socket-2 (B)",
        "  ✓ satisfied → end: not taken, an earlier edge matched",
        "  ✗ not satisfied → end: not taken, satisfied was true",
      ],
    ],
  ])("%s", (_title, edges, said, expected) => expect(judged(edges, said)).toEqual(expected));

  const looped = (exits: Exits, said: object, items: readonly string[], advance: "always" | "satisfied" = "always") =>
    lastRoute(
      {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": {
            materia: "Judge",
            parse: "json",
            advance: { when: advance },
            edges: [{ when: "always", to: "Socket-3" }],
          },
          "Socket-3": { materia: "Mend", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-4": { materia: "Tell" },
          "Socket-5": { materia: "Sulk" },
        },
        loops: {
          each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" }, exits },
        },
      },
      { Plan: [workItems(...items)], Judge: [handed(said)] },
    );
  const yes = { id: "y", from: "Socket-2", condition: "satisfied", targetSocketId: "Socket-4" } as const;
  const no = { id: "n", from: "Socket-2", condition: "not_satisfied", targetSocketId: "Socket-5" } as const;
  const any = { id: "a", from: "Socket-2", condition: "always", targetSocketId: "Socket-5" } as const;
  const other = { id: "o", from: "Socket-3", condition: "always", targetSocketId: "Socket-5" } as const;

  it.each<[string, Exits, object, readonly string[], readonly string[]]>([
    [
      "an exit with the matching condition is preferred",
      [any, yes, no],
      { satisfied: true },
      ["a"],
      [
        "exit · ✓ satisfied → Socket-4 (Tell)",
        "  exit · always → Socket-5 (Sulk): not taken, exit satisfied preferred to always",
        "  exit · ✗ not satisfied → Socket-5 (Sulk): not taken, satisfied was true",
        "  edges not tried: all items are done",
      ],
    ],
    [
      "no exit matches",
      [yes],
      { satisfied: false },
      ["a"],
      [
        "→ end: no exit matched, satisfied was false",
        "  exit · ✓ satisfied → Socket-4 (Tell): not taken, satisfied was false",
        "  edges not tried: all items are done",
      ],
    ],
    [
      "exits of another member",
      [other],
      {},
      ["a"],
      [
        "→ end: all items done",
        "  exit · always → Socket-5 (Sulk): not taken, it belongs to Socket-3 (Mend)",
        "  edges not tried: all items are done",
      ],
    ],
    [
      "an empty list",
      [yes, any, other],
      {},
      [],
      [
        "exit · always → Socket-5 (Sulk)",
        "  exit · ✓ satisfied → Socket-4 (Tell): not taken, the list was empty",
        "  exit · always → Socket-5 (Sulk): not taken, an earlier exit stands first",
      ],
    ],
    [
      "an empty list and no exit for it",
      [yes],
      {},
      [],
      [
        "→ end: the list was empty and no exit is taken always",
        "  exit · ✓ satisfied → Socket-4 (Tell): not taken, the list was empty",
      ],
    ],
  ])("%s", (_title, exits, said, items, expected) => expect(looped(exits, said, items)).toEqual(expected));

  it("an item that does not advance", () => {
    expect(looped([yes], { satisfied: false }, ["a", "b"], "satisfied")).toEqual([
      "→ Socket-3 (Mend)",
      "  not on to the next item: satisfied was false",
    ]);
  });

  it("a long name gives way to the reason", () => {
    const name = "N".repeat(100);
    const judge = { materia: "Judge", parse: "json" as const, edges: [{ when: "satisfied" as const, to: "Socket-2" }] };
    const loadout = { entry: "Socket-1", sockets: { "Socket-1": judge, "Socket-2": { materia: name } } };
    const [, other] = lastRoute(loadout, { Judge: [handed({ satisfied: false })] });
    expect(other).toMatch(/^ {2}✓ satisfied → Socket-2 \(N+…: not taken, satisfied was false$/);
  });
});
