import { basename, resolve } from "node:path";
import type { Command } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import type { CastId } from "../../core/model/ids.ts";
import { inboxGroup, inboxRow, sortInbox, type InboxRow } from "../../core/view/inbox.ts";
import { dropFromIndex, listIndexedCasts, markSeen, type IndexedCast } from "../config/cast-index.ts";
import type { ConfigContext } from "../config/config.ts";
import { createOwnCastRegistry, type OwnCastRegistry } from "../config/own-casts.ts";
import type { CastStore } from "../store/cast-store.ts";
import { fileStore } from "../store/files/file-store.ts";
import { ownsListedCast } from "./foreign-casts.ts";
import { looksLikeCastId, type Workspace } from "./workspace.ts";

export interface InboxOptions {
  /** Also casts that were looked at, and those that need nobody. */
  readonly all?: boolean | undefined;
  readonly program?: string | undefined;
}

/** [YI2] What a person has to look at, over all projects of this user on this machine. */
export async function listInbox(
  env: ConfigContext["env"],
  { all = false, program = "materia" }: InboxOptions = {},
): Promise<readonly InboxRow[]> {
  const own = createOwnCastRegistry(env);
  const options = { now: Date.now(), program };
  const rows: InboxRow[] = [];
  for (const [root, casts] of Map.groupBy(listIndexedCasts(env), (cast) => cast.root)) {
    const store = fileStore(root);
    for (const cast of casts) {
      if (cast.isSeen && !all) continue;
      const summary = await readIndexed(env, store, cast, own);
      if (!summary || (!all && inboxGroup(summary.status) === null)) continue;
      const row = inboxRow(summary, { project: basename(cast.cwd), cwd: cast.cwd, root }, options);
      rows.push(cast.isSeen ? { ...row, seen: true } : row);
    }
  }
  return sortInbox(rows);
}

/** [YI3] The index only says where to look: a cast there counts only if this user started it on this machine. */
async function readIndexed(env: ConfigContext["env"], store: CastStore, cast: IndexedCast, own: OwnCastRegistry) {
  const { castId } = cast;
  const summary = await store.summary(castId);
  if (!summary) {
    const isGone = (await store.listIds()).ok && !(await store.find(castId)).ok;
    if (isGone) dropFromIndex(env, cast);
    return undefined;
  }
  return (await ownsListedCast(own, store, castId)) ? summary : undefined;
}

/** [YI5] The one cast of this user in any project whose id is or begins with the text. */
export async function findIndexedCast(env: ConfigContext["env"], text: string): Promise<IndexedCast | undefined> {
  const casts = listIndexedCasts(env);
  const exact = casts.filter(({ castId }) => castId === text);
  const [only, ...others] = exact.length > 0 ? exact : casts.filter(({ castId }) => castId.startsWith(text));
  if (!only || others.length > 0) return undefined;
  return (await readIndexed(env, fileStore(only.root), only, createOwnCastRegistry(env))) ? only : undefined;
}

/** [YI5] A cast that was named and is not here, but in another project: the options with which the command finds it. */
export async function optionsForOtherProject(
  { place, store }: Workspace,
  command: Command,
  options: Options,
): Promise<Options | undefined> {
  const { cwd, artifacts, config, on } = options;
  const first = command.kind === "continue" ? command.text.trim().split(/\s+/, 1)[0] : undefined;
  const named = ("castId" in command ? command.castId : undefined) ?? first;
  if (named === undefined || !looksLikeCastId(named)) return undefined;
  if ([cwd, artifacts, config, on].some((each) => each !== undefined)) return undefined;
  const ids = await store.listIds();
  if (!ids.ok || ids.value.some((id) => id.startsWith(named))) return undefined;
  const found = await findIndexedCast(place.env, named);
  return found && { ...options, cwd: found.cwd, artifacts: found.root };
}

/** [YI4] A person has looked at a cast. One that runs has no result yet. */
export async function markLookedAt({ place, store, fleet }: Workspace, castId: CastId): Promise<void> {
  const status = fleet ? undefined : (await store.summary(castId))?.status;
  if (status !== undefined && status !== "running" && status !== "sleeping")
    markSeen(place.env, [{ castId, root: resolve(store.location) }]);
}
