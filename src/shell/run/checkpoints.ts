import type { Effect } from "../../core/cast/next.ts";
import type { Checkpoint, NoCheckpoint } from "../../core/model/values/checkpoint.ts";
import type { CastState, Visit } from "../../core/cast/state/state.ts";
import { socketOf } from "../../core/compile/graph.ts";
import type { Ports } from "../ports.ts";
import type { EffectContext } from "./effect.ts";

/** [Y1] What a visit that is over has made of the files; nothing where it changed none. */
export async function checkpointAfter(
  { visit }: Extract<Effect, { kind: "checkpoint" }>,
  state: CastState,
  { files, holds }: Ports,
): Promise<Checkpoint | NoCheckpoint | undefined> {
  if (!files || !state.files) return undefined;
  // [Y2] Only the owner moves the ref; one that lost its cast finds out when it writes.
  if (!(await holds())) return undefined;
  const { last, visit: since } = state.files;
  return files.take({ last, since, title: titleOf(state, visit) });
}

/** Checkpoints while a turn goes on. */
export interface TurnCheckpoints {
  /** A tool may have written. Never waits; what comes while one is taken is taken with the next. */
  readonly wrote: () => void;
  /** Nothing is being taken any more. */
  readonly settled: () => Promise<void>;
}

/** [Y5] A turn that is cut off goes on from what its tools had written, wherever it goes on. */
export function checkpointsDuring(visit: Visit, { state, ports, report }: EffectContext): TurnCheckpoints {
  const { files } = ports;
  const stands = state.files;
  if (!files || !stands) return { wrote: () => undefined, settled: () => Promise.resolve() };
  let { last } = stands;
  let isDue = false;
  let taking: Promise<void> | undefined;
  const takeAll = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      if (!(await ports.holds())) return;
      const taken = await files.take({ last, since: stands.visit, title: `${titleOf(state, visit)}, unfinished` });
      if (!taken || "problem" in taken || taken.commit === last) continue;
      last = taken.commit;
      report({ type: "checkpoint_taken", socket: visit.socket, visit: visit.number, files: taken });
    }
  };
  return {
    wrote: () => {
      isDue = true;
      taking ??= takeAll().finally(() => {
        taking = undefined;
      });
    },
    settled: () => taking ?? Promise.resolve(),
  };
}

function titleOf({ graph }: CastState, { socket, number }: Visit): string {
  return `${socketOf(graph, socket).materia} (${socket}) visit ${number}`;
}
