import {
  createBashTool,
  createEditTool,
  createLsTool,
  createReadTool,
  createWriteTool,
} from "@earendil-works/pi-coding-agent";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { Ports, TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { NO_ARTIFACTS } from "../new-cast.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export interface PromptFigures {
  readonly items: number;
  /** Characters of a turn in the loop, system text and prompt together, by materia. */
  readonly sizes: Readonly<Record<string, { readonly first: number; readonly last: number }>>;
  /** The largest growth from the first item to the last. */
  readonly growth: number;
  /** The share of a turn that is the same, from its first character on, as in the turn before at the same socket. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly repeatedOverall: number;
}

/** Full-Auto with so many items, every fourth refused once; the prompt of each turn, and how much of it was sent before. */
export async function measurePrompts(items: number): Promise<PromptFigures> {
  const turns = await turnsOf(items);
  const inLoop = [...Map.groupBy(turns, (turn) => turn.materia)].filter(([, all]) => all.length >= items);
  const sizes = Object.fromEntries(
    inLoop.map(([materia, all]) => [materia, { first: sizeAt(all, 1, items), last: sizeAt(all, items, items) }]),
  );
  const repeated = Object.fromEntries(inLoop.map(([materia, all]) => [materia, repeatedShare(all)]));
  const every = inLoop.flatMap(([, all]) => all.slice(1).map((turn, index) => ({ turn, before: all[index] })));
  const told = every.reduce((sum, { turn }) => sum + turn.text.length, 0);
  const same = every.reduce((sum, { turn, before }) => sum + samePrefix(before?.text ?? "", turn.text), 0);
  const growth = Math.max(...Object.values(sizes).map(({ first, last }) => last / first));
  return { items, sizes, growth, repeated, repeatedOverall: same / told };
}

/** The first turn for an item; a repeated turn also gets the reason. */
function sizeAt(turns: readonly SentPrompt[], item: number, items: number): number {
  const turn = turns.find(({ text }) => text.includes(`\n${item} of ${items}: `));
  if (!turn) throw new Error(`item ${item} was never worked on`);
  return turn.text.length;
}

interface SentPrompt {
  readonly materia: string;
  readonly text: string;
}

async function turnsOf(items: number): Promise<readonly SentPrompt[]> {
  const compiled = compileTargets([{ kind: "loadout", name: "Full-Auto" }], mergeLayers([bundledLayer()]));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const turns: SentPrompt[] = [];
  const runTurn = async (request: TurnRequest): Promise<TurnOutcome> => {
    const text = [describeTools(request.tools), request.system, request.prompt].join("\n\n");
    turns.push({ materia: request.materia, text });
    return { kind: "said", text: replyTo(request, items), usage: { input: 0, output: 0, cost: 0 }, model: "instant" };
  };
  const ports: Ports = {
    agents: { preflight: async () => [], runTurn },
    runUtility: async () => ({ kind: "exited", stdout: '{"satisfied":true,"state":{}}', stdoutCut: false, stderr: "" }),
    journal: { append: async () => undefined },
    artifacts: NO_ARTIFACTS,
    holdsClaim: async () => true,
    isSuperseded: () => false,
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const start = initialState({
    castId: "bench" as CastId, // of an id's form
    request: REQUEST,
    graph: compiled.value.graph,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    data: {},
  });
  const end = await runCast(start, ports, { cwd: "", signal: new AbortController().signal });
  if (end.kind !== "ended" || end.state.phase.kind !== "ended" || end.state.phase.outcome === "failed")
    throw new Error(`the cast did not come to its end: ${JSON.stringify(end.state.phase)}`);
  return turns;
}

/** Without grep and find, which are not everywhere. Providers compare tools first. */
const TOOLS = [createReadTool, createLsTool, createBashTool, createEditTool, createWriteTool].map((create) =>
  create("."),
);

function describeTools(names: readonly string[]): string {
  const offered = TOOLS.filter(({ name }) => names.includes(name));
  return JSON.stringify(offered.map(({ name, description, parameters }) => ({ name, description, parameters })));
}

const REQUEST = `Give the to-do list a search field, an archive for what is done, and an export as CSV that spreadsheets open
without questions. The search looks at titles and notes, ignores case, and shows its hits while one types. Keep the
storage format as it is, so that older versions can still read the file, and describe the export in the README.`;

/** Answers of an ordinary length. */
function replyTo({ materia, visit }: TurnRequest, items: number): string {
  const sentence = "Changed src/list.ts and its test; ran the tests, all pass; nothing is open. ";
  if (materia === "Auto-Plan" || materia === "Auto-Architect") {
    const workItems = Array.from({ length: items }, (_, index) => ({
      title: `feat: part ${String(index + 1).padStart(5, "0")} of the list`,
      context: sentence.repeat(6),
    }));
    return JSON.stringify({ workItems, context: sentence.repeat(4) });
  }
  if (materia !== "Auto-Eval") return sentence.repeat(4);
  // The fourth item is judged at the fourth and the fifth visit, and so on.
  return JSON.stringify({ satisfied: visit % 5 !== 4, context: sentence.repeat(3) });
}

function repeatedShare(turns: readonly SentPrompt[]): number {
  const later = turns.slice(1);
  const told = later.reduce((sum, turn) => sum + turn.text.length, 0);
  return later.reduce((sum, turn, index) => sum + samePrefix(turns[index]?.text ?? "", turn.text), 0) / told;
}

function samePrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at += 1) if (a.charCodeAt(at) !== b.charCodeAt(at)) return at;
  return most;
}
