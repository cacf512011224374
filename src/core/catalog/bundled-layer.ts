import type * as v from "valibot";
import { BUNDLED_AGENTS } from "./bundled-agents.ts";
import { BUNDLED_GATES, BUNDLED_UTILITY_MATERIA } from "./bundled-utilities.ts";
import { BUNDLED_GENERATORS } from "./bundled-generators.ts";
import { readLayer, type ConfigLayer } from "./layer.ts";
import type { Edge, Exit, Loadout } from "../model/loadout.ts";

type Loadouts = Readonly<Record<string, v.InferInput<typeof Loadout>>>;
type AuthoredEdge = v.InferInput<typeof Edge>;

function always(to: string): AuthoredEdge[] {
  return [{ when: "always", to }];
}

/** On if the result is accepted, else back, so often and then elsewhere. */
function judged(to: string, back: string, limits: Pick<AuthoredEdge, "maxTraversals" | "then"> = {}): AuthoredEdge[] {
  return [
    { when: "satisfied", to },
    { when: "not_satisfied", to: back, ...limits },
  ];
}

function exit(from: string, to: string): v.InferInput<typeof Exit> {
  return { id: `exit:${from}:always`, from, condition: "always", targetSocketId: to };
}

function itemLoop(
  from: string,
  sockets: string[],
  exits: v.InferInput<typeof Exit>[],
  more: { parallel?: number } = {},
) {
  return { workItemIteration: { sockets, consumes: { from, output: "workItems" as const }, exits, ...more } };
}

const BUNDLED_LOADOUTS: Loadouts = {
  "Full-Auto": {
    description: "Plans, builds, evaluates and commits a request item by item, without a person.",
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Ignore-Artifacts", parse: "json", edges: always("Socket-2") },
      "Socket-2": { materia: "Detect-VCS", parse: "json", edges: always("Socket-3") },
      "Socket-3": { materia: "Auto-Plan", parse: "json", edges: always("Socket-9") },
      "Socket-4": { materia: "Auto-Architect", parse: "json", edges: always("Socket-5") },
      "Socket-5": { materia: "Build", edges: always("Socket-6") },
      "Socket-6": { materia: "Auto-Eval", parse: "json", edges: judged("Socket-7", "Socket-5", { maxTraversals: 3 }) },
      "Socket-7": { materia: "Maintain", advance: {}, edges: always("Socket-5") },
      "Socket-8": { materia: "Narrate" },
      // One item needs no design that several share: the architect would read again what the planner has read.
      "Socket-9": { materia: "Several-Items", edges: judged("Socket-4", "Socket-5") },
    },
    loops: itemLoop("Socket-3", ["Socket-5", "Socket-6", "Socket-7"], [exit("Socket-7", "Socket-8")]),
  },

  "Test-Driven": {
    description: "Plans, then builds each item until the project's own tests pass and an evaluator is content.",
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Ignore-Artifacts", parse: "json", edges: always("Socket-2") },
      "Socket-2": { materia: "Detect-VCS", parse: "json", edges: always("Socket-3") },
      "Socket-3": { materia: "Auto-Plan", parse: "json", edges: always("Socket-4") },
      "Socket-4": { materia: "Build", edges: always("Socket-5") },
      // A failing test costs no tokens, so it may send work back more often. An item that still fails is given up.
      "Socket-5": { materia: "Run-Checks", edges: judged("Socket-6", "Socket-4", { maxTraversals: 4, then: "next" }) },
      "Socket-6": { materia: "Auto-Eval", parse: "json", edges: judged("Socket-7", "Socket-4", { maxTraversals: 2 }) },
      "Socket-7": { materia: "Maintain", advance: {}, edges: always("Socket-4") },
      "Socket-8": { materia: "Narrate" },
    },
    loops: itemLoop(
      "Socket-3",
      ["Socket-4", "Socket-5", "Socket-6", "Socket-7"],
      [exit("Socket-7", "Socket-8"), exit("Socket-5", "Socket-8")],
    ),
  },

  "Parallel-Auto": {
    description: "Plans, builds up to four items at once on a new branch, then checks and reviews the merged result.",
    entry: "Socket-1",
    sockets: {
      // Items run in parallel only in a clean working tree.
      "Socket-1": { materia: "Blackbelt-Bootstrap", parse: "json", edges: always("Socket-2") },
      "Socket-2": { materia: "Detect-VCS", parse: "json", edges: always("Socket-3") },
      "Socket-3": { materia: "Parallel-Plan", parse: "json", edges: always("Socket-4") },
      "Socket-4": { materia: "Build", edges: always("Socket-5") },
      "Socket-5": { materia: "Run-Checks", edges: judged("Socket-6", "Socket-4", { maxTraversals: 4, then: "next" }) },
      "Socket-6": {
        materia: "Auto-Eval",
        parse: "json",
        edges: judged("Socket-7", "Socket-4", { maxTraversals: 2, then: "next" }),
      },
      "Socket-7": { materia: "Maintain", advance: {}, edges: always("Socket-4") },
      // Items that work alone may fail together: git merges lines, not meanings.
      "Socket-8": { materia: "Run-Checks", edges: judged("Socket-9", "Socket-10", { maxTraversals: 3 }) },
      "Socket-9": {
        materia: "Integration-Review",
        parse: "json",
        edges: judged("Socket-12", "Socket-10", { maxTraversals: 2 }),
      },
      "Socket-10": { materia: "Build", edges: always("Socket-11") },
      "Socket-11": { materia: "Maintain", edges: always("Socket-8") },
      "Socket-12": { materia: "Narrate" },
    },
    loops: itemLoop(
      "Socket-3",
      ["Socket-4", "Socket-5", "Socket-6", "Socket-7"],
      [exit("Socket-7", "Socket-8"), exit("Socket-5", "Socket-8"), exit("Socket-6", "Socket-8")],
      { parallel: 4 },
    ),
  },

  "Planning-Consult": {
    description: "Agrees on a plan with a person and checks each item against the code; changes no file.",
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Interactive-Plan", parse: "json", edges: always("Socket-2") },
      "Socket-2": { materia: "Context-Check", advance: {}, edges: always("Socket-2") },
    },
    // No exits: the checked plan is the end, and a link continues from here.
    loops: { consult: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } },
  },

  "Hojo-Consult": {
    description: "Agrees on a plan with a person, refines its design, then builds it item by item on a new branch.",
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Interactive-Plan", parse: "json", edges: always("Socket-2") },
      "Socket-2": { materia: "Auto-Architect", parse: "json", edges: always("Socket-3") },
      "Socket-3": { materia: "Commit-Sigil", parse: "json", edges: judged("Socket-5", "Socket-4") },
      // Titles are corrected once. Work that was agreed on does not stop for a title.
      "Socket-4": { materia: "Auto-Architect", parse: "json", edges: always("Socket-5") },
      "Socket-5": { materia: "Blackbelt-Bootstrap", parse: "json", edges: always("Socket-6") },
      // After the bootstrap, which may have created the repository.
      "Socket-6": { materia: "Detect-VCS", parse: "json", edges: always("Socket-7") },
      "Socket-7": { materia: "Build", edges: always("Socket-8") },
      "Socket-8": { materia: "Auto-Eval", parse: "json", edges: judged("Socket-9", "Socket-7", { maxTraversals: 3 }) },
      "Socket-9": { materia: "Maintain", advance: {}, edges: always("Socket-7") },
      "Socket-10": { materia: "Narrate" },
    },
    loops: itemLoop("Socket-3", ["Socket-7", "Socket-8", "Socket-9"], [exit("Socket-9", "Socket-10")]),
  },
};

const BUNDLED_CONFIG = {
  artifactDir: ".pi/pi-materia",
  activeLoadout: "Full-Auto",
  budget: { maxTokens: 10_000_000, maxCostUsd: 20, warnAtPercent: 75 },
  limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
  materia: { ...BUNDLED_AGENTS, ...BUNDLED_GENERATORS, ...BUNDLED_UTILITY_MATERIA, ...BUNDLED_GATES },
  loadouts: BUNDLED_LOADOUTS,
};

export function bundledLayer(): ConfigLayer {
  return readLayer("bundled", BUNDLED_CONFIG);
}
