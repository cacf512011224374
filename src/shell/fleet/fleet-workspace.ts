import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { parentCastId, type CastId } from "../../core/model/ids.ts";
import type { FetchedCheckpoints, FleetClient, Workspace } from "../workspace/workspace.ts";
import { importPack } from "../git/transfer/packs.ts";
import { findRepository, gitErrorText, isObjectId, runGit } from "../git/repository.ts";
import { sql, withDatabaseErrors } from "../store/postgres/database.ts";
import { openFleet, type ConnectedFleet, resolveFleetProfile } from "./open-fleet.ts";
import { readFleetStatus, readQueuePosition } from "./fleet-status.ts";
import { findCastByKey, submitCast, type SubmitOptions } from "./submit-cast.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import { redactEvent } from "../secrets/redact-event.ts";
import { createRedactor } from "../secrets/redact.ts";
import type { LoadedCast } from "../store/cast-store.ts";

/** The same project with the casts of a fleet in place of local casts. */
export async function openFleetWorkspace(workspace: Workspace, name: string, asked: SubmitOptions = {}) {
  const opened = await connectFleet(workspace, name);
  if (!opened.ok) return opened;
  const { workspaceFor, close } = opened.value;
  return ok({ workspace: workspaceFor(workspace, asked), close });
}

/** A fleet for several commands, in sequence or at once. */
export interface FleetConnection {
  readonly workspaceFor: (workspace: Workspace, asked?: SubmitOptions) => Workspace;
  readonly close: () => Promise<void>;
}

/** `sees`: the casts of all projects that this person may see, or only those of the profile's project. */
export async function connectFleet(
  { catalog, place }: Pick<Workspace, "catalog" | "place">,
  name: string,
  sees: "project" | "all" = "project",
): Promise<Result<FleetConnection>> {
  const profile = resolveFleetProfile(catalog, name, place);
  if (!profile.ok) return profile;
  const opened = await openFleet(profile.value, sees);
  if (!opened.ok) return opened;
  return ok({
    workspaceFor: (workspace, asked) => withFleet(workspace, opened.value, asked),
    close: opened.value.store.close,
  });
}

/** [B40] The commands of people, on a fleet. */
export function withFleet(
  workspace: Workspace,
  fleet: ConnectedFleet,
  { priority = 0, key }: SubmitOptions = {},
): Workspace {
  const { env } = workspace.place;
  // The root of local casts, also when a fleet is already open.
  const artifacts = workspace.fleet?.artifacts ?? workspace.root;
  const on: FleetClient = {
    name: fleet.profile.name,
    artifacts,
    submittedBefore: () => findCastByKey(fleet, key),
    submit: (plan) => submitCast(fleet, plan, { env, artifacts, priority, ...withoutUndefined({ key }) }),
    resume: (cast, said) => appendUserEvents(fleet, cast, said, { env, starts: true }),
    abort: (castId) => requestAbort(fleet, castId),
    raiseBudget: async (castId, maxTokens) => {
      const cast = await fleet.store.load(castId);
      if (!cast.ok) return cast;
      return appendUserEvents(fleet, cast.value, [{ type: "limits_raised", maxTokens }], { env, starts: false });
    },
    queuePosition: (castId) => readQueuePosition(fleet, castId).catch(() => undefined),
    unservedQueues: () => readUnservedQueues(fleet),
    fetchCheckpoints: (castId, cwd) => fetchCheckpoints(fleet, castId, cwd),
    status: () => readFleetStatus(fleet),
    summariesOf: fleet.store.summariesOf,
  };
  const { store } = fleet;
  return { ...workspace, store, root: store.location, fleet: on };
}

async function readUnservedQueues({ database, profile }: ConnectedFleet): Promise<readonly string[]> {
  const unserved = sql`select distinct c.queue from materia.casts c where c.status = 'queued' and c.project = ${profile.project}
    and not exists (select from materia.workers w where w.state = 'up' and c.queue = any (w.queues)) order by c.queue`;
  const rows = await database.query<{ queue: string }>(unserved).catch(() => []);
  return rows.map(({ queue }) => queue);
}

async function requestAbort({ database, profile }: ConnectedFleet, castId: CastId): Promise<Result<"asked">> {
  return withDatabaseErrors(castId, async () => {
    const [row] = await database.query<{ said: string }>(sql`select materia.ask_abort(${castId}) as said`);
    if (row?.said === "asked") return ok("asked");
    if (row?.said === "over") return failWith("cast_finished", castId, "this cast has ended");
    return fail(unknownCastIssue(castId, profile.name));
  });
}

async function fetchPacks(
  database: ConnectedFleet["database"],
  castId: CastId,
  top: string,
): Promise<Result<FetchedCheckpoints | undefined>> {
  let last: FetchedCheckpoints | undefined;
  return withDatabaseErrors(castId, async () => {
    for (let n = -1; ;) {
      const next = sql`select n, head, ckpt, pack from materia.packs where cast_id = ${castId} and n > ${n} order by n limit 1`;
      const [row] = await database.query<PackRow>(next);
      if (!row) return ok(last);
      const wrong = await importPack(top, row.pack);
      if (wrong !== undefined) {
        const hint = "fetch from the repository that it was submitted from";
        return failWith("damaged_pack", castId, `pack ${row.n} of its files is damaged: ${wrong}`, hint);
      }
      if (!isObjectId(row.head) || !isObjectId(row.ckpt))
        return failWith("damaged_pack", castId, `pack ${row.n} names no commit`);
      n = row.n;
      last = { head: row.head, ckpt: row.ckpt };
    }
  });
}

interface PackRow {
  readonly n: number;
  readonly head: string;
  readonly ckpt: string;
  readonly pack: Buffer;
}

/** [B17] Unpacks every pack of a cast into this repository. A ref protects the commits from git's garbage collection. */
async function fetchCheckpoints(
  { database }: ConnectedFleet,
  castId: CastId,
  cwd: string,
): Promise<Result<FetchedCheckpoints>> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return failWith("git_failed", cwd, `cannot fetch its files: ${found.why}`);
  const { top } = found.repository;
  let last: FetchedCheckpoints | undefined;
  // [B50] The packs of the parent contain the commits that an item starts from.
  for (const each of [parentCastId(castId), castId]) {
    const taken = each === undefined ? ok(undefined) : await fetchPacks(database, each, top);
    if (!taken.ok) return taken;
    last = taken.value ?? last;
  }
  if (!last)
    return failWith("missing_checkpoints", castId, "this cast has no files: it was submitted outside a git repository");
  // A separate ref: the branch that is named after the cast must stay the only one.
  const held = await runGit(["update-ref", `refs/materia-fleet/${castId}`, last.ckpt], { cwd: top });
  return held.ok ? ok(last) : failWith("git_failed", castId, gitErrorText(held));
}

/** [B42] Records the events of a person for a stopped cast, and queues it if it is to continue. */
async function appendUserEvents(
  { database, profile }: ConnectedFleet,
  { castId, state }: Pick<LoadedCast, "castId" | "state">,
  said: readonly EventBody[],
  { env, starts }: { readonly env: Parameters<typeof createRedactor>[0]; readonly starts: boolean },
): Promise<Result<undefined>> {
  const redact = createRedactor(env);
  const at = new Date().toISOString();
  const events = said.map((body, index) =>
    JSON.stringify(redactEvent({ seq: state.seq + 1 + index, at, ...body }, redact)),
  );
  return withDatabaseErrors(castId, async () => {
    const query = sql`select materia.tell_cast(${castId}, ${state.seq}, ${events}, ${starts}) as answer`;
    const [row] = await database.query<{ answer: string }>(query);
    return row?.answer === "taken" ? ok(undefined) : fail(refusedEventsIssue(castId, row?.answer ?? "", profile.name));
  });
}

function refusedEventsIssue(castId: CastId, why: string, fleet: string): Issue {
  const on = `--on ${quoteWord(fleet)}`;
  const status = suggest`${typed`status ${castId} ${on}`} shows its state`;
  const abort = suggest`stop it with ${typed`abort ${castId} ${on}`}, or wait for it`;
  const watch = suggest`${typed`watch ${castId} ${on}`} follows it`;
  switch (why) {
    case "moved":
      return error("cast_reassigned", castId, "this cast has continued since you looked at it", status);
    case "owned":
      return error("cast_owned", castId, "a worker runs this cast", abort);
    case "queued":
      return error("cast_owned", castId, "this cast waits for a worker already", watch);
    case "unknown":
      return unknownCastIssue(castId, fleet);
    default:
      return error("database_failed", castId, "the database refused these events");
  }
}

function unknownCastIssue(castId: CastId, fleet: string): Issue {
  const hint = suggest`${typed`casts --on ${quoteWord(fleet)}`} lists them`;
  return error("unknown_cast", castId, "there is no such cast in your projects", hint);
}
