import { suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { parseCastId, type CastId } from "../../core/model/ids.ts";
import { statusText } from "../../core/view/cast-list.ts";
import type { CastStore } from "../store/cast-store.ts";
import { foreignCastIssue, ownCastChecker } from "./foreign-casts.ts";
import type { Workspace } from "./workspace.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** [C28] The word that means the newest cast. */
export const LAST_CAST = "last";

/** Which casts a command accepts when none is named. */
export interface RequestedCast {
  readonly matches: (cast: CastSummary) => boolean;
  /** The message when no cast matches. */
  readonly noneMessage: string;
}

/** [S14] Like `findCast`, for a cast that will run: without an id only own casts count. */
export async function findOwnCast(
  workspace: Workspace,
  named: string | undefined,
  wanted: RequestedCast,
): Promise<Result<CastId>> {
  const { store } = workspace;
  if (named !== undefined && named !== LAST_CAST) return findCast(store, named);
  const suits = named === LAST_CAST ? () => true : wanted.matches;
  const isOwn = ownCastChecker(workspace);
  const own = await findNewestCast(store, async (cast) => suits(cast) && (await isOwn(cast)));
  if (own) return ok(own);
  const other = await findNewestCast(store, suits);
  const file = other && (await store.readCastFile(other));
  const foreign = file?.ok ? foreignCastIssue(workspace, file.value) : undefined;
  return fail(foreign ?? (await noCastIssue(store, wanted.noneMessage)));
}

/** [C28] The cast of an id or of a unique prefix; `last`, or no word at all, is the newest. */
export async function findCast(store: CastStore, named: string | undefined): Promise<Result<CastId>> {
  if (named !== undefined && named !== LAST_CAST) return findCastByPrefix(store, named);
  const newest = await findNewestCast(store, () => true);
  return newest ? ok(newest) : fail(await noCastIssue(store, "none of the casts here can be read"));
}

/** [C47] Whether the first word of a message may name a cast. Refusing it is better than sending it to an agent by accident. */
export async function mayBeCastName(store: CastStore, word: string): Promise<boolean> {
  if (word === LAST_CAST || looksLikeCastId(word)) return true;
  if (parseCastId(word) === undefined) return false;
  const ids = await store.listIds();
  return ids.ok && ids.value.some((id) => id === word || (word.length >= 4 && id.startsWith(word)));
}

/** Whether a word looks like a generated cast id, or the start of one. */
export function looksLikeCastId(word: string): boolean {
  return /^\d{8}(?:-(?:\d{0,6}|\d{6}-[0-9a-z]{0,6}))?$/.test(word);
}

async function findCastByPrefix(store: CastStore, text: string): Promise<Result<CastId>> {
  const exact = await store.find(text);
  // Refuse an invalid id without reading the disk.
  if (exact.ok || parseCastId(text) === undefined) return exact;
  const ids = await store.listIds();
  const begun = ids.ok ? ids.value.filter((id) => id.startsWith(text)) : [];
  const [only, ...others] = begun;
  if (only === undefined) return exact;
  return others.length === 0 ? store.find(only) : fail(ambiguousCastIssue(text, begun));
}

function ambiguousCastIssue(text: string, ids: readonly CastId[]): Issue {
  const shown = ids.slice(0, 4).join(", ");
  const more = ids.length > 4 ? ` and ${ids.length - 4} more` : "";
  const message = `${ids.length} casts begin with "${text}": ${shown}${more}`;
  return error("ambiguous_cast", text, message, `type more of the id, or "${LAST_CAST}" for the newest`);
}

async function findNewestCast(
  store: CastStore,
  suits: (cast: CastSummary) => boolean | Promise<boolean>,
): Promise<CastId | undefined> {
  const ids = await store.listIds();
  for (const id of ids.ok ? ids.value : []) {
    const summary = await store.summary(id);
    if (summary && (await suits(summary))) return id;
  }
  return undefined;
}

async function noCastIssue(store: CastStore, none: string): Promise<Issue> {
  const ids = await store.listIds();
  if (!ids.ok) return ids.issues[0] ?? error("missing_cast", store.location, none);
  if (ids.value.length === 0)
    return error(
      "missing_cast",
      store.location,
      "there are no casts here yet",
      suggest`start one with ${typed`cast <prompt>`}`,
    );
  const newest = await findNewestCast(store, () => true);
  const summary = newest && (await store.summary(newest));
  const how = summary ? `the newest, ${summary.castId}, is ${statusText(summary.status)}; ` : "";
  return error("missing_cast", store.location, none, suggest`${how}${typed`casts`} lists all of them`);
}
