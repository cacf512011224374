import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { checkTarget, compileTargets } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import { isError } from "../../src/core/model/issue.ts";
import { median } from "./process.ts";

export interface CheckFigures {
  /** In a process that has done nothing of the kind before. */
  readonly firstMs: number;
  /** The median of the rounds behind the warm-up, and the time of the processor that they took. */
  readonly warmMs: number;
  readonly cpuMs: number;
  readonly warmUp: number;
  readonly rounds: number;
}

const WARM_UP = 10;
const ROUNDS = 15;

/** All that `materia check` does with a loadout once its file is parsed: read, merge, check, weigh the worst case. */
export function measureCheck(sockets: number): CheckFigures {
  const file = JSON.stringify({ materia: MATERIA, loadouts: { Big: bigLoadout(sockets) } });
  return repeated(
    () => JSON.parse(file) as unknown,
    (raw) => {
      const catalog = mergeLayers([readLayer("explicit", raw)]);
      const entry = catalog.loadouts.get("Big");
      if (!entry) throw new Error("the loadout is gone");
      const { graph, flow, issues } = checkTarget({ kind: "loadout", name: "Big", entry }, catalog, 1);
      if (!flow || issues.some(isError)) throw new Error(JSON.stringify(issues.slice(0, 3)));
      worstCase(graph, flow, catalog.settings.limits);
    },
  );
}

/** A chain of so many loadouts, read already, compiled into one checked graph. */
export function measureLink(loadouts: number, sockets: number): CheckFigures {
  const names = Array.from({ length: loadouts }, (_, index) => `Part-${index + 1}`);
  const parts = Object.fromEntries(names.map((name) => [name, bigLoadout(sockets)]));
  const catalog = mergeLayers([readLayer("explicit", { materia: MATERIA, loadouts: parts })]);
  const refs = names.map((name) => ({ kind: "loadout" as const, name }));
  return repeated(
    () => undefined,
    () => {
      const compiled = compileTargets(refs, catalog);
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues.slice(0, 3)));
    },
  );
}

function repeated<T>(prepare: () => T, work: (prepared: T) => void): CheckFigures {
  const times: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const prepared = prepare();
    const before = process.threadCpuUsage();
    const started = performance.now();
    work(prepared);
    times.push(performance.now() - started);
    const { user, system } = process.threadCpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  const [firstMs = Number.NaN] = times;
  const warm = { warmMs: median(times.slice(WARM_UP)), cpuMs: median(cpu.slice(WARM_UP)) };
  return { firstMs, ...warm, warmUp: WARM_UP, rounds: ROUNDS };
}

const MATERIA = {
  Plan: { prompt: "Plan the work.", generator: true },
  Build: { prompt: "Build the item.", tools: "coding" },
  Eval: { prompt: "Judge the item.", parse: "json" },
  Maintain: { prompt: "Tidy up.", tools: "coding" },
  Tell: { prompt: "Tell what was done." },
};

/** Blocks of plan → (build → eval, at most three times back → maintain, next item) → tell, one after the other. */
function bigLoadout(sockets: number): unknown {
  const blocks = Array.from({ length: Math.max(1, Math.round(sockets / 5)) }, (_, index) => index);
  const id = (block: number, place: number): string => `Socket-${block * 5 + place}`;
  const last = blocks.length - 1;
  return {
    entry: id(0, 1),
    sockets: Object.fromEntries(
      blocks.flatMap((block) => [
        [id(block, 1), { materia: "Plan", edges: [{ when: "always", to: id(block, 2) }] }],
        [id(block, 2), { materia: "Build", edges: [{ when: "always", to: id(block, 3) }] }],
        [id(block, 3), { materia: "Eval", edges: evalEdges(id(block, 4), id(block, 2)) }],
        [id(block, 4), { materia: "Maintain", advance: {}, edges: [{ when: "always", to: id(block, 2) }] }],
        [id(block, 5), { materia: "Tell", edges: [{ when: "always", to: block === last ? "end" : id(block + 1, 1) }] }],
      ]),
    ),
    loops: Object.fromEntries(
      blocks.map((block) => [
        `items-${block + 1}`,
        {
          sockets: [id(block, 2), id(block, 3), id(block, 4)],
          consumes: { from: id(block, 1), output: "workItems" },
          exits: [{ id: "done", from: id(block, 4), condition: "always", targetSocketId: id(block, 5) }],
        },
      ]),
    ),
  };
}

function evalEdges(onward: string, back: string): unknown {
  return [
    { when: "satisfied", to: onward },
    { when: "not_satisfied", to: back, maxTraversals: 3 },
  ];
}
