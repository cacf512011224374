import type { Catalog } from "../../../core/catalog/catalog.ts";
import { isError, error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { resolveArtifactRoot, loadConfig, type ConfigContext } from "../../config/config.ts";
import { userKeyAccess } from "../../config/own/user-key.ts";
import type { CastStore } from "../../store/cast-store.ts";
import type { FleetClient } from "./on-fleet.ts";
import { fileStore } from "../../store/files/file-store.ts";
import type { FolderWatcher } from "../../system/folder-watch.ts";
import { executableDigest, isTrusted, listProgramsToTrust, rememberTrust, type ProgramsToTrust } from "../../config/trust.ts";

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

function readTrust(place: ConfigContext, project: { readonly file: string; readonly raw: unknown } | undefined): ProjectTrust {
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
  const message = ["this project's configuration is not trusted as it is now", ...describeProgramsToTrust(trust)].join("; ");
  return { ...error("not_trusted", "", message, "look at it, then add --trust"), file: trust.file };
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
