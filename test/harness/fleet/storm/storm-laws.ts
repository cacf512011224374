import type { CastEvent } from "../../../../src/core/cast/state/event.ts";
import { takePack } from "../../../../src/shell/git/packs/packs.ts";
import type { Database } from "../../../../src/shell/store/postgres/database/database.ts";
import { SOCKETS, gitIn } from "./storm-place.ts";

/** What a cast has come to: all its files, and what was committed on the way. */
export interface Outcome {
  readonly tree: string;
  readonly commits: string;
}

export async function outcomeOf(database: Database, cwd: string, castId: string): Promise<Outcome> {
  const packs = await database.rows<{ head: string; ckpt: string; pack: Buffer }>({
    text: "select head, ckpt, pack from materia.packs where cast_id = $1 order by n",
    values: [castId],
  });
  for (const { pack } of packs) {
    const wrong = await takePack(cwd, pack);
    if (wrong !== undefined) throw new Error(`a pack of ${castId} cannot be taken: ${wrong}`);
  }
  const { head = "", ckpt = "" } = packs.at(-1) ?? {};
  return { tree: gitIn(cwd, "rev-parse", `${ckpt}^{tree}`), commits: gitIn(cwd, "log", "--format=%s", head) };
}

/** [B14] Ended like one that nothing disturbed: nothing lost, nothing completed twice, the same files. */
export async function castProblems(
  database: Database,
  { cwd, castId, wanted }: { readonly cwd: string; readonly castId: string; readonly wanted: Outcome },
): Promise<readonly string[]> {
  const events = await eventsOf(database, castId);
  const last = events.at(-1);
  if (last?.type !== "cast_ended" || last.outcome !== "completed")
    return [`${castId} did not end well: ${JSON.stringify(last)}`];
  const wrong = events.findIndex((event, index) => event.seq !== index + 1);
  const done = events.flatMap((event) => (event.type === "visit_completed" ? [event.socket] : []));
  const found = await outcomeOf(database, cwd, castId);
  return [
    ...(wrong === -1 ? [] : [`${castId}: event ${wrong + 1} has the number ${events[wrong]?.seq}`]),
    ...(done.join() === SOCKETS.join() ? [] : [`${castId}: completed ${done.join()}`]),
    ...(found.tree === wanted.tree
      ? []
      : [`${castId}: other files than undisturbed:\n${gitIn(cwd, "diff", wanted.tree, found.tree)}`]),
    ...(found.commits === wanted.commits ? [] : [`${castId}: other commits: ${found.commits.replaceAll("\n", ", ")}`]),
  ];
}

async function eventsOf(database: Database, castId: string): Promise<readonly CastEvent[]> {
  const rows = await database.rows<{ event: string }>({
    text: "select event from materia.events where cast_id = $1 order by seq",
    values: [castId],
  });
  return rows.map(({ event }) => JSON.parse(event) as CastEvent); // written by the program under test
}
