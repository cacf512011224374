import { advanceTimeline, type CastTimeline } from "../../../src/core/cast/timeline.ts";
import { runCast } from "../../../src/shell/run/run-cast.ts";
import type { OwnedCast } from "../../../src/shell/store/cast-store.ts";
import { items, said, world } from "../seats.ts";

/** Runs a workshop of forty items on until so many turns were had by this owner, and leaves it as a kill would. */
export async function ranOn(
  owned: OwnedCast,
  from: CastTimeline,
  turns: number,
  meanwhile: (turn: number) => void = () => undefined,
): Promise<void> {
  const { journal, artifacts, holdsClaim: holds, isSuperseded } = owned;
  const list = items(...Array.from({ length: 40 }, (_, index) => `item ${index}`));
  const killed = Promise.withResolvers<undefined>();
  let had = 0;
  const ports = world(({ materia }) => said(materia === "Plan" ? JSON.stringify(list) : '{"satisfied":true}'), {
    journal,
    artifacts,
    holdsClaim: async () => {
      had += 1;
      meanwhile(had);
      if (had <= turns) return holds();
      killed.resolve(undefined);
      return new Promise(() => undefined);
    },
    isSuperseded,
  });
  let trail = from;
  const run = runCast(from.state, ports, {
    cwd: "/",
    signal: new AbortController().signal,
    onSteps: (steps) => {
      for (const step of steps) trail = advanceTimeline(trail, step);
      owned.bookmark?.(trail);
    },
  });
  await Promise.race([run, killed.promise]);
  await owned.release();
}
