import { suggest, typed, isError, error, fail, failWith, ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { resolveArtifactRoot, loadConfig, type ConfigContext } from "../config/config.ts";
import type { CastStore, CurrentCast, LoadedCast, NewCast } from "../store/cast-store.ts";
import { fileStore } from "../store/files/file-store.ts";
import type { FolderWatcher } from "../system/folder-watcher.ts";
import {
  executableDigest,
  isTrusted,
  listProgramsToTrust,
  rememberTrust,
  type ProgramsToTrust,
} from "../config/trust.ts";
import { type CastId, parseCastId } from "../../core/model/ids.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { BlockingLimit, FleetStatus, WaitReason } from "../../core/view/progress/fleet-status.ts";
import type { CastSummary } from "../../core/cast/summary.ts";
import { statusText } from "../../core/view/cast-list.ts";
import { foreignCastIssue, ownCastChecker } from "./foreign-casts.ts";
import { realPathOrSame } from "../system/folders.ts";

export interface Workspace {
  readonly place: ConfigContext;
  readonly catalog: Catalog;
  readonly configFiles: readonly string[];
  readonly root: string;
  readonly store: CastStore;
  readonly trust: ProjectTrust;
  /** Set when the casts belong to a fleet, which runs them on other machines. */
  readonly fleet?: FleetClient;
}

export type ProjectTrust =
  | { readonly kind: "given" }
  | ({
      readonly kind: "asked";
      readonly file: string;
      /** The digest of everything that can be executed; null when part of it is too large to read. */
      readonly digest: string | null;
      readonly remember: () => void;
    } & ProgramsToTrust);

export function loadWorkspace(place: ConfigContext, artifacts?: string, watch?: FolderWatcher): Result<Workspace> {
  const { catalog, files, project } = loadConfig(place);
  const root = resolveArtifactRoot(place.cwd, catalog, artifacts);
  if (!root.ok) return root;
  const store = fileStore(root.value, watch ? { watch } : {});
  return ok({ place, catalog, configFiles: files, root: root.value, store, trust: readTrust(place, project) });
}

function readTrust(
  place: ConfigContext,
  project: { readonly file: string; readonly raw: unknown } | undefined,
): ProjectTrust {
  if (!project || isTrusted(place, project.raw)) return { kind: "given" };
  const remember = (): void => rememberTrust(place, project.raw);
  const digest = executableDigest(place.cwd, project.raw) ?? null;
  return { kind: "asked", file: project.file, digest, ...listProgramsToTrust(place.cwd, project.raw), remember };
}

/** The workspace as trusted; `remember` stores the trust once the command has used it. */
export function asTrusted(workspace: Workspace): { readonly workspace: Workspace; readonly remember: () => void } {
  const { trust } = workspace;
  if (trust.kind === "given") return { workspace, remember: () => undefined };
  return { workspace: { ...workspace, trust: { kind: "given" } }, remember: trust.remember };
}

/** [S1] Nothing of a project runs before the user trusts it. */
export function trustIssue({ trust }: Workspace): Issue | undefined {
  if (trust.kind === "given") return undefined;
  const parts = ["this project's configuration is not trusted as it is now", ...describeProgramsToTrust(trust)];
  return { ...error("untrusted_project", "", parts.join("; "), "look at it, then add --trust"), file: trust.file };
}

/** [S8] Lists every program: the sixth one may be malicious. */
export function describeProgramsToTrust(programs: ProgramsToTrust): readonly string[] {
  const list = (names: readonly string[], before: string, behind = ""): readonly string[] =>
    names.length === 0 ? [] : [`${before}: ${names.join(", ")}${behind}`];
  const commands = programs.commands.map((each) => `\`${each}\``);
  return [
    ...list(commands, "its utilities would run"),
    ...list(programs.equipment, "its agents and programs would have"),
    ...list(programs.watched, "watched for changes", ", but not what these load from elsewhere"),
    ...list(programs.tooLarge, "too large to be watched, so that trust is not kept"),
  ];
}

/** Problems of a whole file stop every cast; problems of one part stop only casts that use it. */
export function checkConfiguration({ catalog }: Workspace): Result<undefined> {
  const errors = catalog.issues.filter(isError);
  return errors.length > 0 ? fail(...errors) : ok(undefined);
}

/** Running casts are usually among the newest; a resumed older one is rare. */
const MAX_CASTS_CHECKED = 50;

/** [C32] Two casts in one working tree would mix their files. This also refuses an agent that starts another cast. */
export async function findBusyTreeIssue({ store, place }: Workspace, except?: CastId): Promise<Issue | undefined> {
  const ids = await store.listIds();
  for (const castId of ids.ok ? ids.value.slice(0, MAX_CASTS_CHECKED) : []) {
    const owner = castId === except ? undefined : await store.owner(castId);
    if (!owner) continue;
    const file = await store.readCastFile(castId);
    if (file.ok && (file.value.ownWorktree || realPathOrSame(file.value.cwd) !== realPathOrSame(place.cwd))) continue;
    const what = file.ok ? `: ${file.value.loadout.name}, begun ${file.value.startedAt}` : "";
    const hint = suggest`wait for it, stop it with ${typed`abort ${castId}`}, add --worktree to work in a separate working tree, or add --anyway`;
    const message = `process ${owner.pid} on ${owner.host} runs ${castId} in this working tree${what}`;
    return error("cast_running", castId, message, hint);
  }
  return undefined;
}

export interface FleetClient {
  readonly name: string;
  readonly artifacts: string;
  /** [B21] The cast that an earlier command submitted with the same key, if any. */
  readonly submittedBefore: () => Promise<Result<CastId | undefined>>;
  /** Submits this working tree and a cast. Returns the cast of the key: an earlier one if the key was used before. */
  readonly submit: (plan: NewCast) => Promise<Result<CastId>>;
  /** [B42] Writes the events if the cast has not changed since it was read; then a worker continues it. */
  readonly resume: (cast: CurrentCast, said: readonly EventBody[]) => Promise<Result<undefined>>;
  readonly abort: (castId: CastId) => Promise<Result<"asked">>;
  readonly raiseBudget: (castId: CastId, maxTokens: number) => Promise<Result<undefined>>;
  /** Undefined when the cast does not wait for a worker, or no worker can run it. */
  readonly queuePosition: (castId: CastId) => Promise<QueuePosition | undefined>;
  /** [B72] Queues with waiting casts and no worker. */
  readonly unservedQueues: () => Promise<readonly string[]>;
  /** Fetches the checkpoints of a cast into the repository of a folder; returns the last ones. */
  readonly fetchCheckpoints: (castId: CastId, cwd: string) => Promise<Result<FetchedCheckpoints>>;
  /** [B29] What each worker runs, and why casts wait. */
  readonly status: () => Promise<Result<FleetStatus>>;
  /** Rows of these casts in a listing, without items; undefined if the database cannot answer. */
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
}

/** [B59] The position of a cast among the waiting casts of its project, and the limits that hold it back. */
export interface QueuePosition {
  readonly place: number;
  readonly waiting: number;
  readonly held: readonly BlockingLimit[];
  readonly queue: string;
  /** [B29] */
  readonly why: WaitReason;
}

export interface FetchedCheckpoints {
  readonly head: string;
  readonly ckpt: string;
}

/** [C28] The word that means the newest cast. */
export const LAST_CAST = "last";

export interface RequestedCast {
  readonly matches: (cast: CastSummary) => boolean;
  readonly noneMessage: string;
  /** The command, if only the newest cast counts: resuming an older one by accident would cost money. */
  readonly newestFor?: string;
}

/** [S14] Like `findCast`, for a cast that will run: without an id only own casts count. */
export async function findOwnCast(
  workspace: Workspace,
  named: string | undefined,
  wanted: RequestedCast,
): Promise<Result<CastId>> {
  const { store } = workspace;
  if (named !== undefined && named !== LAST_CAST) return findCast(store, named);
  const isNewest = named === LAST_CAST || wanted.newestFor !== undefined;
  const suits = isNewest ? () => true : wanted.matches;
  const isOwn = ownCastChecker(workspace);
  const own = await findNewestCast(store, async (cast) => suits(cast) && (await isOwn(cast)));
  if (own && named === undefined && wanted.newestFor !== undefined) return newestIfSuitable(workspace, own, wanted);
  if (own) return ok(own);
  const other = await findNewestCast(store, suits);
  const file = other && (await store.readCastFile(other));
  const foreign = file?.ok ? foreignCastIssue(workspace, file.value) : undefined;
  return fail(foreign ?? (await noCastIssue(store, wanted.noneMessage)));
}

/** [C50] The newest cast, or a refusal that names an older one to choose. */
async function newestIfSuitable(
  workspace: Workspace,
  newest: CastId,
  { matches, noneMessage, newestFor = "" }: RequestedCast,
): Promise<Result<CastId>> {
  const { store } = workspace;
  const summary = await store.summary(newest);
  if (!summary || matches(summary)) return ok(newest);
  const isOwn = ownCastChecker(workspace);
  const older = await findNewestCast(store, async (cast) => matches(cast) && (await isOwn(cast)));
  if (!older) return fail(await noCastIssue(store, noneMessage));
  const hint = suggest`name the cast: ${typed`${newestFor} ${older}`}`;
  return failWith("missing_cast", newest, `the newest cast is ${statusText(summary.status)}`, hint);
}

/** [C28] The cast of an id or of a unique prefix; `last`, or no word at all, is the newest. */
export async function findCast(store: CastStore, named: string | undefined): Promise<Result<CastId>> {
  if (named !== undefined && named !== LAST_CAST) return findCastByPrefix(store, named);
  const newest = await findNewestCast(store, () => true);
  return newest ? ok(newest) : fail(await noCastIssue(store, "none of the casts here can be read"));
}

export async function loadNamedCast(store: CastStore, named: string | undefined): Promise<Result<LoadedCast>> {
  const id = await findCast(store, named);
  return id.ok ? store.load(id.value) : id;
}

/** [C47] Whether the first word of a message may name a cast. Refusing it is better than sending it to an agent by accident. */
export async function mayBeCastName(store: CastStore, word: string): Promise<boolean> {
  if (word === LAST_CAST || looksLikeCastId(word)) return true;
  if (parseCastId(word) === undefined) return false;
  const ids = await store.listIds();
  return ids.ok && ids.value.some((id) => id === word || (word.length >= 4 && id.startsWith(word)));
}

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
  if (others.length === 0) return store.find(only);
  const more = begun.length > 4 ? ` and ${begun.length - 4} more` : "";
  const message = `${begun.length} casts begin with "${text}": ${begun.slice(0, 4).join(", ")}${more}`;
  return failWith("ambiguous_cast", text, message, `type more of the id, or "${LAST_CAST}" for the newest`);
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
  if (ids.value.length === 0) {
    const hint = suggest`start one with ${typed`cast <prompt>`}`;
    return error("missing_cast", store.location, "there are no casts here yet", hint);
  }
  const newest = await findNewestCast(store, () => true);
  const summary = newest && (await store.summary(newest));
  const how = summary ? `the newest, ${summary.castId}, is ${statusText(summary.status)}; ` : "";
  return error("missing_cast", store.location, none, suggest`${how}${typed`casts`} lists all of them`);
}
