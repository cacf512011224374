import { describe, expect, it } from "vitest";
import { chainCommand, composeChain } from "../../src/core/edit/target-chain.ts";
import { quickFixFor, placeOfIssue, shortIssuePath } from "../../src/core/edit/quick-fix.ts";
import { previewTurn, promptVariables } from "../../src/core/edit/prompt-preview.ts";
import { generateReplies, repliesFromCast } from "../../src/core/edit/rehearsal-replies.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import type { SocketId } from "../../src/core/model/ids.ts";
import { applyManualPositions } from "../../src/core/view/layout/manual-positions.ts";
import { boxesOverlap } from "../../src/core/view/layout/drawing.ts";
import { layoutGraph } from "../../src/core/view/layout/layout.ts";
import { commandText } from "../../src/core/command/command-text.ts";
import { parseText } from "../../src/core/command/parse.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { type LoadoutInput, FULL_AUTO, fullAuto } from "../harness/build.ts";
import { CATALOG, CHAIN, done, isGenerator, loadout, problemsOf } from "./samples.ts";

const known = { materia: [...CATALOG.materia.keys()], isGenerator };
const auto = (part: object): LoadoutInput => ({ ...FULL_AUTO, ...part });
const sockets = (part: object): LoadoutInput => auto({ sockets: { ...FULL_AUTO.sockets, ...part } });

describe("[E12] problems in place, mended by one click", () => {
  it.each<[code: string, input: LoadoutInput, place: object, mend: string]>([
    [
      "guard_needs_json",
      sockets({
        "Socket-5": {
          materia: "Auto-Eval",
          parse: "text",
          edges: [
            { when: "satisfied", to: "Socket-6" },
            { when: "always", to: "Socket-4" },
          ],
        },
      }),
      { kind: "socket", id: "Socket-5", way: "edge:Socket-5:1" },
      "Set parse to json",
    ],
    [
      "generator_needs_json",
      sockets({ "Socket-3": { materia: "Auto-Plan", parse: "text", edges: [{ when: "always", to: "Socket-4" }] } }),
      { kind: "socket", id: "Socket-3" },
      "Set parse to json",
    ],
    [
      "edge_after_always",
      sockets({
        "Socket-5": {
          materia: "Auto-Eval",
          edges: [
            { when: "always", to: "Socket-6" },
            { when: "not_satisfied", to: "Socket-4", maxTraversals: 2 },
          ],
        },
      }),
      { kind: "socket", way: "edge:Socket-5:2" },
      "Move it before always",
    ],
    [
      "unknown_materia",
      sockets({ "Socket-4": { materia: "Biuld", edges: [{ when: "always", to: "Socket-5" }] } }),
      { kind: "socket", id: "Socket-4", field: "materia" },
      "Use Build",
    ],
    [
      "advance_outside_loop",
      sockets({
        "Socket-1": { materia: "Ignore-Artifacts", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
      }),
      { kind: "socket", id: "Socket-1", field: "advance" },
      "Remove advance",
    ],
    [
      "refused_item_advances",
      auto({
        sockets: {
          ...FULL_AUTO.sockets,
          "Socket-6": {
            materia: "Auto-Eval",
            advance: {},
            edges: [
              { when: "not_satisfied", to: "Socket-4", maxTraversals: 2 },
              { when: "always", to: "Socket-4" },
            ],
          },
        },
      }),
      { kind: "socket", id: "Socket-6", field: "advance" },
      "Advance only when satisfied",
    ],
    [
      "endless_loop",
      sockets({ "Socket-6": { materia: "Maintain", edges: [{ when: "always", to: "Socket-4" }] } }),
      { kind: "loop", id: "workItemIteration" },
      "Let Socket-6 advance",
    ],
    [
      "exit_into_loop",
      auto({
        loops: {
          workItemIteration: {
            ...FULL_AUTO.loops?.["workItemIteration"],
            exits: [{ id: "done", from: "Socket-6", condition: "always", targetSocketId: "Socket-4" }],
          },
        },
      }),
      { kind: "loop", way: "loop-exit:workItemIteration:done" },
      "Remove the exit",
    ],
    [
      "unhandled_outcome",
      sockets({ "Socket-5": { materia: "Auto-Eval", edges: [{ when: "satisfied", to: "Socket-6" }] } }),
      { kind: "socket", id: "Socket-5", field: "edges" },
      "Send the rest to end",
    ],
    [
      "unbounded_cycle",
      sockets({
        "Socket-5": {
          materia: "Auto-Eval",
          edges: [
            { when: "satisfied", to: "Socket-6" },
            { when: "not_satisfied", to: "Socket-4" },
          ],
        },
      }),
      { kind: "socket" },
      "Allow 3 times",
    ],
    ["unknown_socket", auto({ entry: "Socket-70" }), { kind: "loadout" }, "Begin at Socket-1"],
  ])("[E12] %s", (code, input, place, label) => {
    const before = loadout(input);
    const issue = problemsOf(before).find((each) => each.code === code);
    if (!issue)
      throw new Error(
        `no ${code} among ${problemsOf(before)
          .map((each) => each.code)
          .join()}`,
      );
    const found = placeOfIssue(issue, "Main", before);
    expect(found).toMatchObject(place);
    const mend = quickFixFor(issue, found, before, known);
    expect(mend?.label).toBe(label);
    const after = done(mend?.edit(before) ?? { ok: false, issues: [] });
    expect(problemsOf(after).filter((each) => each.code === code)).toEqual([]);
  });

  it("[E12] names with dots and spaces differ from paths", () => {
    const before = loadout(sockets({ "Socket-4": { materia: "Biuld", edges: [{ when: "always", to: "Socket-5" }] } }));
    const [issue] = problemsOf(before, "My v1.2");
    if (!issue) throw new Error("no problem");
    expect(placeOfIssue(issue, "My v1.2", before)).toMatchObject({ kind: "socket", id: "Socket-4" });
    expect(shortIssuePath(issue, "My v1.2")).toBe("Socket-4.materia");
  });
});

it("[E11] what was placed by hand stands there, and labels meet neither sockets nor each other", () => {
  const graph = fullAuto();
  const base = layoutGraph(graph);
  const placed = applyManualPositions(
    base,
    { "Socket-5": { x: 420, y: 180 }, "Socket-7": { x: 40, y: 700 } },
    { graph },
  );
  expect(placed.sockets.find(({ id }) => id === "Socket-5")?.box).toMatchObject({ x: 420, y: 180 });
  const boxes = placed.sockets.map(({ box }) => box);
  const labels = placed.edges.flatMap(({ label }) => label ?? []);
  for (const [index, label] of labels.entries()) {
    expect(boxes.filter((box) => boxesOverlap(box, label))).toEqual([]);
    expect(labels.filter((other, at) => at !== index && boxesOverlap(other, label))).toEqual([]);
  }
  expect(applyManualPositions(base, {}, { graph })).toBe(base);
});

describe("[E18] chains", () => {
  it("[E18] compose with their stitches, and the command reads back", () => {
    const targets = [
      { kind: "materia", name: "Context-Check" },
      { kind: "loadout", name: "Planning-Consult" },
      { kind: "materia", name: "Build" },
    ] as const;
    const composed = composeChain({ targets }, CATALOG);
    expect(composed).toMatchObject({
      kind: "composed",
      joints: [
        { ends: ["Socket-1"], entry: "Socket-2", byLoop: false },
        { ends: ["Socket-3"], byLoop: true },
      ],
    });
    const command = commandText(chainCommand({ targets, from: null, request: "do -- it" }));
    expect(parseText(command)).toMatchObject({
      ok: true,
      value: { command: { kind: "link", targets, prompt: "do -- it" } },
    });
  });

  it("[E18] a refusal names the ends that stay open", () => {
    const fork = {
      entry: "Socket-1",
      sockets: {
        "Socket-1": {
          materia: "Auto-Eval",
          edges: [
            { when: "satisfied", to: "Socket-2" },
            { when: "not_satisfied", to: "Socket-3" },
          ],
        },
        "Socket-2": { materia: "Narrate" },
        "Socket-3": { materia: "Build" },
      },
    };
    const catalog = mergeLayers([bundledLayer(), readLayer("project", { loadouts: { Fork: fork } })]);
    const refused = composeChain(
      {
        targets: [
          { kind: "loadout", name: "Fork" },
          { kind: "loadout", name: "Full-Auto" },
        ],
      },
      catalog,
    );
    expect(refused).toMatchObject({ kind: "refused", joints: [{ ends: ["Socket-2", "Socket-3"], entry: "Socket-4" }] });
    expect(refused.kind === "refused" && Object.keys(refused.parts?.sockets ?? {})).toEqual([
      "Socket-1",
      "Socket-2",
      "Socket-3",
      "Socket-4",
    ]);
    expect(composeChain({ targets: [{ kind: "materia", name: "Nobody" }] }, catalog)).toMatchObject({
      kind: "refused",
      parts: null,
    });
    expect(composeChain({ targets: [] }, catalog)).toEqual({ kind: "empty" });
  });
});

it("[E19] the preview fills the prompt as a cast would", () => {
  const made = compileTargets([{ kind: "loadout", name: "Full-Auto" }], CATALOG);
  if (!made.ok) throw new Error("it compiles");
  const socket = made.value.graph.sockets["Socket-5"];
  if (!socket) throw new Error("it is there");
  const data = { request: "Add CSV", items: [{ title: "Cancel", context: "Stop it." }], reworked: true };
  const text = previewTurn(made.value.graph, socket, data);
  expect(text.prompt).toContain("## Request\n\nAdd CSV");
  expect(text.prompt).toContain("1 of 1: Cancel");
  expect(text.prompt).toContain("## Do it again");
  const materia = {
    type: "agent",
    prompt: "{{request}} {{ item.title }} {{state.a.b}} {{request}} {{nope}}",
    tools: "none",
  } as const;
  expect(promptVariables(materia).map(({ name }) => name)).toEqual(["request", "item.title", "state.a.b", "nope"]);
});

it("[E20] made-up replies answer for a person, too", () => {
  const made = compileTargets([{ kind: "materia", name: "Approve" }], CATALOG);
  if (!made.ok) throw new Error("it compiles");
  const [approve] = generateReplies(made.value.graph, 2);
  expect(approve).toMatchObject({ materia: "Approve", replies: [{ json: { satisfied: true } }] });
});

it("[E20] made-up replies plan, refuse once and are content", () => {
  const made = compileTargets([{ kind: "loadout", name: "Full-Auto" }], CATALOG);
  if (!made.ok) throw new Error("it compiles");
  const replies = Object.fromEntries(generateReplies(made.value.graph, 2).map((each) => [each.materia, each.replies]));
  expect(replies["Auto-Plan"]).toMatchObject([{ json: { workItems: [{ title: "Item 1" }, { title: "Item 2" }] } }]);
  expect(replies["Auto-Eval"]).toMatchObject([{ json: { satisfied: false } }, { json: { satisfied: true } }]);
  expect(replies["Build"]).toEqual([{ text: "Build is done." }]);
  expect(loadout(CHAIN).entry).toBe("Socket-1");
});

it("[E30] the replies of a cast that happened are taken socket by socket, made-up ones where it said nothing", () => {
  const made = compileTargets([{ kind: "loadout", name: "Full-Auto" }], CATALOG);
  if (!made.ok) throw new Error("it compiles");
  const { graph } = made.value;
  const generated = generateReplies(graph, 1);
  const place = { at: "2026-01-01T00:00:00.000Z", visit: 1, usage: NO_USAGE };
  const socketOf = (materia: string) => generated.find((each) => each.materia === materia)?.socket as SocketId; // one of its sockets
  const handed = (seq: number, handoff: object): CastEvent =>
    ({
      ...place,
      seq,
      type: "handoff_accepted",
      socket: socketOf("Auto-Eval"),
      handoff,
      found: "exact",
      dropped: [],
    }) as CastEvent; // as a journal has it
  const events = [handed(2, { satisfied: false, context: "no" }), handed(3, { satisfied: true })];
  const taken = repliesFromCast(generated, { graph, events });
  expect(taken.find(({ materia }) => materia === "Auto-Eval")?.replies).toEqual([
    { json: { satisfied: false, context: "no" } },
    { json: { satisfied: true } },
  ]);
  const rest = (each: readonly { readonly materia: string }[]) => each.filter(({ materia }) => materia !== "Auto-Eval");
  expect(rest(taken)).toEqual(rest(generated));
});
