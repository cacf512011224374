import { suggest, typed, error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import { castFileSpans, type CastFileSpans, type CheckpointSpan } from "../../core/view/file-changes.ts";
import { findCast } from "../workspace/find-cast.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { hasCommit } from "../git/diff.ts";
import { findRepository, type Repository } from "../git/repository.ts";

export type StoredSpans = Extract<CastFileSpans, { kind: "kept" }>;

/** The files of a cast, and the repository that still has them. */
export interface StoredCastFiles {
  readonly castId: CastId;
  readonly spans: StoredSpans;
  readonly repository: Repository;
}

/** [Y7] A cast whose files were kept, where they still are; or what is missing. */
export async function loadCastFiles(
  { store, place, fleet }: Workspace,
  named: string | undefined,
): Promise<Result<StoredCastFiles>> {
  const id = await findCast(store, named);
  if (!id.ok) return id;
  const castId = id.value;
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  const fetched = fleet ? await fleet.fetchCheckpoints(castId, place.cwd) : ok(undefined);
  if (!fetched.ok) return fetched;
  const spans = castFileSpans(cast.value.events);
  if (spans.kind === "none") return fail(notKeptIssue(castId, spans.problem));
  // A project that was moved or copied brought its checkpoints along; one whose casts are kept elsewhere did not.
  for (const cwd of new Set([place.cwd, cast.value.file.cwd])) {
    const found = await findRepository(cwd);
    if (found.kind === "found" && (await hasCommit(cwd, spans.whole.to)))
      return ok({ castId, spans, repository: found.repository });
  }
  return fail(
    error(
      "checkpoint_deleted",
      castId,
      `the repository around ${place.cwd} has no checkpoints of this cast`,
      `they stand in the repository that the cast ran in, ${cast.value.file.cwd}`,
    ),
  );
}

function notKeptIssue(castId: string, problem: string | null) {
  const why = problem === null ? "checkpoints were turned off, or an earlier version ran it" : problem;
  return error(
    "missing_checkpoints",
    castId,
    `the files of this cast were not kept: ${why}`,
    "a cast in a git repository with a commit keeps them",
  );
}

/** `Socket-4#2`, `Socket-4` for its last visit, `WI-2`, `loop/WI-2`. */
export function findSpan({ castId, spans }: StoredCastFiles, name: string): Result<CheckpointSpan> {
  const [socket, number] = name.split("#");
  const visit = spans.visits.findLast(
    (each) => each.socket === socket && (number === undefined || String(each.visit) === number),
  );
  if (visit) return ok(visit);
  const items = spans.items.filter(({ loop, key }) => name === key || name === `${loop}/${key}`);
  const [item, another] = items;
  if (item && !another) return ok(item);
  const message = item ? `${name} is an item of more than one loop` : `this cast has no visit or item "${name}"`;
  const known = item ? items.map(({ loop, key }) => `${loop}/${key}`) : suggestPlaces(spans);
  const hint = known.length === 0 ? suggest`${typed`show ${castId}`} tells what it did` : `one of ${known.join(", ")}`;
  return fail(error("unknown_visit", name, message, hint));
}

const MAX_SUGGESTED = 12;

/** Those that changed something first: they are what is looked for. */
function suggestPlaces({ visits, items }: StoredSpans): readonly string[] {
  const changed = visits.filter(({ from, to }) => from !== to);
  const names = [...(changed.length > 0 ? changed : visits).map(visitName), ...items.map(({ key }) => key)];
  return [...new Set(names)].slice(0, MAX_SUGGESTED);
}

function visitName({ socket, visit }: { readonly socket: string; readonly visit: number }): string {
  return `${socket}#${visit}`;
}
