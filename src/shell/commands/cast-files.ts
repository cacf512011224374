import { failWith, suggest, typed, error, fail, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import { castFileSpans, type CastFileSpans, type CheckpointSpan } from "../../core/view/file-changes.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { hasCommit } from "../git/diff.ts";
import { findRepository, type Repository } from "../git/repository.ts";

export type StoredSpans = Extract<CastFileSpans, { kind: "kept" }>;

/** The files of a cast, and the repository that holds their checkpoints. */
export interface StoredCastFiles {
  readonly castId: CastId;
  readonly spans: StoredSpans;
  readonly repository: Repository;
}

/** [Y14] Finds the repository with the checkpoints of a cast, or says what is missing. */
export async function loadCastFiles(
  { store, place, fleet }: Workspace,
  named: string | undefined,
): Promise<Result<StoredCastFiles>> {
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return cast;
  const { castId } = cast.value;
  const fetched = fleet ? await fleet.fetchCheckpoints(castId, place.cwd) : ok(undefined);
  if (!fetched.ok) return fetched;
  const spans = castFileSpans(cast.value.events);
  if (spans.kind === "none") return fail(notKeptIssue(castId, spans.problem));
  // A moved or copied project brings its checkpoints along. A project whose casts are stored elsewhere does not.
  for (const cwd of new Set([place.cwd, cast.value.file.cwd])) {
    const found = await findRepository(cwd);
    if (found.kind === "found" && (await hasCommit(cwd, spans.whole.to)))
      return ok({ castId, spans, repository: found.repository });
  }
  return failWith(
    "checkpoint_deleted",
    castId,
    `the repository around ${place.cwd} has no checkpoints of this cast`,
    `they are in the repository where the cast ran: ${cast.value.file.cwd}`,
  );
}

function notKeptIssue(castId: string, problem: string | null) {
  const why = problem === null ? "checkpoints were off when it ran" : problem;
  const hint = "checkpoints need a git repository with a commit";
  return error("missing_checkpoints", castId, `this cast has no checkpoints of its files: ${why}`, hint);
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
  const hint = known.length === 0 ? suggest`${typed`show ${castId}`} shows what it did` : `one of ${known.join(", ")}`;
  return failWith("unknown_visit", name, message, hint);
}

const MAX_SUGGESTED = 12;

/** Visits that changed files come first: users look for them most. */
function suggestPlaces({ visits, items }: StoredSpans): readonly string[] {
  const changed = visits.filter(({ from, to }) => from !== to);
  const names = [
    ...(changed.length > 0 ? changed : visits).map(({ socket, visit }) => `${socket}#${visit}`),
    ...items.map(({ key }) => key),
  ];
  return [...new Set(names)].slice(0, MAX_SUGGESTED);
}
