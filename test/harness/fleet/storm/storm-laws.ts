import type { CastEvent } from "../../../../src/core/cast/state/event.ts";
import { importPack } from "../../../../src/shell/git/transfer/packs.ts";
import type { Database } from "../../../../src/shell/store/postgres/database.ts";
import { gitIn } from "./storm-place.ts";

/** What a cast has come to: all its files, and what was committed on the way. */
export interface Outcome {
  readonly tree: string;
  readonly commits: string;
  /** Every visit that was completed, of the cast and of its items. */
  readonly visits: string;
}

export async function outcomeOf(database: Database, cwd: string, castId: string): Promise<Outcome> {
  const packs = await database.query<{ head: string; ckpt: string; pack: Buffer }>({
    text: "select head, ckpt, pack from materia.packs where cast_id = $1 order by n",
    values: [castId],
  });
  for (const { pack } of packs) {
    const wrong = await importPack(cwd, pack);
    if (wrong !== undefined) throw new Error(`a pack of ${castId} cannot be taken: ${wrong}`);
  }
  const { head = "", ckpt = "" } = packs.at(-1) ?? {};
  const visits: string[] = [];
  for (const each of await itemCastsOf(database, castId))
    for (const event of await eventsOf(database, each))
      if (event.type === "visit_completed") visits.push(`${each.slice(castId.length)} ${event.socket}`);
  return {
    tree: gitIn(cwd, "rev-parse", `${ckpt}^{tree}`),
    commits: gitIn(cwd, "log", "--format=%s", head),
    visits: visits.join(),
  };
}

/** [B55] Ended like one that nothing disturbed: nothing lost, nothing completed twice, the same files. */
export async function castProblems(
  database: Database,
  { cwd, castId, wanted }: { readonly cwd: string; readonly castId: string; readonly wanted: Outcome },
): Promise<readonly string[]> {
  const events = await eventsOf(database, castId);
  const last = events.at(-1);
  if (last?.type !== "cast_ended" || last.outcome !== "completed")
    return [`${castId} did not end well: ${JSON.stringify(last)}`];
  const found = await outcomeOf(database, cwd, castId);
  return [
    ...(await misnumbered(database, castId)),
    ...mergedTwice(castId, events),
    ...(found.visits === wanted.visits ? [] : [`${castId}: completed ${found.visits}`]),
    ...(found.tree === wanted.tree
      ? []
      : [`${castId}: other files than undisturbed:\n${gitIn(cwd, "diff", wanted.tree, found.tree)}`]),
    ...(found.commits === wanted.commits ? [] : [`${castId}: other commits: ${found.commits.replaceAll("\n", ", ")}`]),
  ];
}

async function misnumbered(database: Database, castId: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const each of await itemCastsOf(database, castId)) {
    const events = await eventsOf(database, each);
    const wrong = events.findIndex((event, index) => event.seq !== index + 1);
    if (wrong !== -1) problems.push(`${each}: event ${wrong + 1} has the number ${events[wrong]?.seq}`);
  }
  return problems;
}

/** [B49] In the order of the list, and none of them again. */
function mergedTwice(castId: string, events: readonly CastEvent[]): readonly string[] {
  const merged = events.flatMap((event) => (event.type === "item_merged" ? [event.index] : []));
  return merged.every((index, place) => index === place) ? [] : [`${castId}: merged ${merged.join()}`];
}

/** The cast, and those of its items. */
async function itemCastsOf(database: Database, castId: string): Promise<readonly string[]> {
  const rows = await database.query<{ cast_id: string }>({
    text: "select cast_id from materia.casts where cast_id = $1 or parent = $1 order by cast_id",
    values: [castId],
  });
  return rows.map((row) => row.cast_id);
}

async function eventsOf(database: Database, castId: string): Promise<readonly CastEvent[]> {
  const rows = await database.query<{ event: string }>({
    text: "select event from materia.events where cast_id = $1 order by seq",
    values: [castId],
  });
  return rows.map(({ event }) => JSON.parse(event) as CastEvent); // written by the program under test
}
