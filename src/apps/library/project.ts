import { resolve } from "node:path";
import { checkCatalog } from "../../core/compile/targets/compile.ts";
import { ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import { findProject } from "../../shell/config/config.ts";
import { parseRehearsalText } from "../../shell/workspace/agent-hosts.ts";
import { asTrusted, loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";

/** A project: its configuration as it was read, and the folder of its casts. */
export interface Project {
  readonly cwd: string;
  readonly artifacts: string;
  /** The names of its loadouts, bundled ones included. */
  readonly loadouts: readonly string[];
}

export interface ProjectOptions {
  /** A configuration above all others, like `--config`. */
  readonly config?: string;
  /** The folder of casts, like `--artifacts`. */
  readonly artifacts?: string;
  /** Trusts the project's own configuration for this object; nothing is remembered. */
  readonly trust?: boolean;
  /** The environment that decides where the user's files are; that of the process if unset. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** [K9] Kept apart: the shape of a workspace is not part of the library. */
const workspaces = new WeakMap<Project, Workspace>();

/** [K9] Reads the project of a folder. It runs nothing and writes nothing. */
export function loadProject(cwd: string, options: ProjectOptions = {}): Result<Project> {
  const { config, artifacts, trust, env = process.env } = options;
  const place = findProject({
    cwd: resolve(cwd),
    env,
    ...(config === undefined ? {} : { explicitFile: resolve(cwd, config) }),
  });
  const loaded = loadWorkspace(place, artifacts === undefined ? undefined : resolve(cwd, artifacts));
  if (!loaded.ok) return loaded;
  const workspace = trust === true ? asTrusted(loaded.value).workspace : loaded.value;
  const { root, catalog } = workspace;
  const project: Project = { cwd: place.cwd, artifacts: root, loadouts: [...catalog.loadouts.keys()] };
  workspaces.set(project, workspace);
  return ok(project);
}

export function workspaceOf(project: Project): Workspace {
  const workspace = workspaces.get(project);
  if (!workspace) throw new TypeError("this is not a project that loadProject returned");
  return workspace;
}

/** Every problem of the configuration, as `materia check` reports it. */
export function checkProject(project: Project): readonly Issue[] {
  return checkCatalog(workspaceOf(project).catalog).issues;
}

/** Scripted replies, in the format of `--rehearse`; comments are allowed. */
export function readRehearsal(text: string): Result<Rehearsal> {
  return parseRehearsalText("rehearsal", text);
}
