import { suggest, typed, isError, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { resolveArtifactRoot, loadConfig, type ConfigContext } from "../config/config.ts";
import { userKeyAccess } from "../config/user-key.ts";
import type { CastStore, CurrentCast, NewCast } from "../store/cast-store.ts";
import { fileStore } from "../store/files/file-store.ts";
import type { FolderWatcher } from "../system/folder-watcher.ts";
import {
  executableDigest,
  isTrusted,
  listProgramsToTrust,
  rememberTrust,
  type ProgramsToTrust,
} from "../config/trust.ts";
import { realpathSync } from "node:fs";
import type { CastId } from "../../core/model/ids.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { FleetLimit } from "../../core/command/command.ts";
import type { FleetStatus, WaitReason } from "../../core/view/progress/fleet-status.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** A project as a command finds it: its configuration and the place of its casts. */
export interface Workspace {
  readonly place: ConfigContext;
  readonly catalog: Catalog;
  readonly configFiles: readonly string[];
  /** Where casts are kept. */
  readonly root: string;
  readonly store: CastStore;
  readonly trust: ProjectTrust;
  /** Set where the casts are those of a fleet, which other machines drive. */
  readonly fleet?: FleetClient;
}

export type ProjectTrust =
  | { readonly kind: "given" }
  | ({
      readonly kind: "asked";
      readonly file: string;
      /** Of all that decides what may be executed; null where some of that is too large to be looked at. */
      readonly digest: string | null;
      readonly remember: () => void;
    } & ProgramsToTrust);

export function loadWorkspace(place: ConfigContext, artifacts?: string, watch?: FolderWatcher): Result<Workspace> {
  const { catalog, files, project } = loadConfig(place);
  const root = resolveArtifactRoot(place.cwd, catalog, artifacts);
  if (!root.ok) return root;
  const store = fileStore(root.value, { ...(watch ? { watch } : {}), bookmarks: { key: userKeyAccess(place.env) } });
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

/** The workspace as somebody who trusts it sees it; `remember` keeps that, once it has been acted on. */
export function asTrusted(workspace: Workspace): { readonly workspace: Workspace; readonly remember: () => void } {
  const { trust } = workspace;
  if (trust.kind === "given") return { workspace, remember: () => undefined };
  return { workspace: { ...workspace, trust: { kind: "given" } }, remember: trust.remember };
}

/** [S1] Nothing that a project brings runs before it is trusted. */
export function trustIssue({ trust }: Workspace): Issue | undefined {
  if (trust.kind === "given") return undefined;
  const message = ["this project's configuration is not trusted as it is now", ...describeProgramsToTrust(trust)].join(
    "; ",
  );
  return { ...error("untrusted_project", "", message, "look at it, then add --trust"), file: trust.file };
}

/** [S8] All of it: the sixth command may be the bad one. */
export function describeProgramsToTrust({ commands, watched, tooLarge }: ProgramsToTrust): readonly string[] {
  return [
    ...(commands.length === 0 ? [] : [`its utilities would run: ${commands.map((each) => `\`${each}\``).join(", ")}`]),
    ...(watched.length === 0
      ? []
      : [`watched for changes: ${watched.join(", ")}, but not what these load from elsewhere`]),
    ...(tooLarge.length === 0 ? [] : [`too large to be watched, so that trust is not kept: ${tooLarge.join(", ")}`]),
  ];
}

/** Problems of the files as wholes stop what would run; those of single parts stop only what uses them. */
export function checkConfiguration({ catalog }: Workspace): Result<undefined> {
  const errors = catalog.issues.filter(isError);
  return errors.length > 0 ? fail(...errors) : ok(undefined);
}

/** Who runs is among the newest: what is older and was set going again lately is rare. */
const MAX_CASTS_CHECKED = 50;

/**
 * [C32] Two casts in one working tree would each take the files of the other for its own. An agent of a cast that starts
 * another one is refused as well.
 */
export async function findBusyTreeIssue({ store, place }: Workspace, except?: CastId): Promise<Issue | undefined> {
  const ids = await store.listIds();
  for (const castId of ids.ok ? ids.value.slice(0, MAX_CASTS_CHECKED) : []) {
    const owner = castId === except ? undefined : await store.owner(castId);
    if (!owner) continue;
    const file = await store.readCastFile(castId);
    if (file.ok && resolveRealFolder(file.value.cwd) !== resolveRealFolder(place.cwd)) continue;
    const what = file.ok ? `: ${file.value.loadout.name}, begun ${file.value.startedAt}` : "";
    return error(
      "cast_running",
      castId,
      `process ${owner.pid} on ${owner.host} runs ${castId} in this working tree${what}`,
      suggest`wait for it, stop it with ${typed`abort ${castId}`}, work in another folder (git worktree), or add --anyway`,
    );
  }
  return undefined;
}

function resolveRealFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** What people do with casts that other machines drive, in place of driving them here. */
export interface FleetClient {
  /** The name that --on was given. */
  readonly name: string;
  /** Where casts are kept here: no part of what is submitted. */
  readonly artifacts: string;
  /** [B21] The cast that was submitted under the key of this command before, where there is one. */
  readonly submittedBefore: () => Promise<Result<CastId | undefined>>;
  /** This working tree and a cast for it; answers with the cast that there is now, which is another's where its key came first. */
  readonly submit: (plan: NewCast) => Promise<Result<CastId>>;
  /** [B42] Written where it stood when it was looked at, or refused; then a worker goes on with it. */
  readonly resume: (cast: CurrentCast, said: readonly EventBody[]) => Promise<Result<undefined>>;
  readonly abort: (castId: CastId) => Promise<Result<"asked">>;
  readonly raiseBudget: (castId: CastId, maxTokens: number) => Promise<Result<undefined>>;
  /** Nothing where the cast does not wait for a worker, or none could begin it. */
  readonly queuePosition: (castId: CastId) => Promise<QueuePosition | undefined>;
  /** [B72] Queues in which casts wait that nobody works on. */
  readonly unservedQueues: () => Promise<readonly string[]>;
  /** The checkpoints of a cast into the repository around a folder; what stands at the end of them. */
  readonly fetchCheckpoints: (castId: CastId, cwd: string) => Promise<Result<FetchedCheckpoints>>;
  /** [B29] Who works on what, and what waits for whom. */
  readonly status: () => Promise<Result<FleetStatus>>;
  /** What a listing says of these casts, as far as they are there and are no items of others; nothing where it cannot be asked. */
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
}

/** [B59] Where a cast stands among those of its project that wait, and the limits that hold it back. */
export interface QueuePosition {
  readonly place: number;
  readonly waiting: number;
  readonly held: readonly (FleetLimit & { readonly most: number })[];
  readonly queue: string;
  /** [B29] */
  readonly why: WaitReason;
}

export interface FetchedCheckpoints {
  readonly head: string;
  readonly ckpt: string;
}
