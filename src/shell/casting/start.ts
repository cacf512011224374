import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { LinkCommand } from "../../core/command/command.ts";
import { commandText } from "../../core/command/typed.ts";
import { compile, remappings } from "../../core/compile/targets/compile.ts";
import type { Compiled } from "../../core/compile/targets/compile.ts";
import { startState } from "../../core/cast/state.ts";
import { fail, isError, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { forgetCast, recordCast } from "../config/own-casts.ts";
import { FORMAT, startOf } from "../store/cast-file.ts";
import type { CastFile } from "../store/cast-file.ts";
import { createCast, discardCast, newCastId } from "../store/cast-store.ts";
import type { CastFolder } from "../store/cast-store.ts";
import type { AgentHost } from "../ports.ts";
import type { RunEnd } from "../run/run-cast.ts";
import { redactKeys } from "../secrets/events.ts";
import { redactor } from "../secrets/redact.ts";
import { VERSION } from "../version.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./drive.ts";
import { agentNeeds, openHost } from "./hosts.ts";
import type { AgentChoice, OpenHost } from "./hosts.ts";
import { loadPrevious } from "./previous-cast.ts";
import { configErrors, trustIssue } from "./workspace.ts";
import type { Workspace } from "./workspace.ts";

/** A cast that could begin: everything that can be wrong has been looked at, and nothing has been written. */
export interface ReadyCast {
  readonly workspace: Workspace;
  readonly compiled: Compiled;
  readonly file: CastFile;
  readonly host: AgentHost;
  readonly notes: readonly string[];
  /** Files that the cast brings with it, by name. */
  readonly brings: Readonly<Record<string, string>>;
}

export interface StartOptions {
  readonly agents: AgentChoice;
  readonly openReal: OpenHost;
  /** The command as the user gave it; a link where nobody typed one. */
  readonly command?: string;
}

/** Replies that came with the command, as the cast keeps them for its resumes. */
const REPLIES = "rehearsal.json";

/** Typed targets → a cast ready to begin, or every problem of the first stage that has any. */
export async function prepareCast(
  workspace: Workspace,
  link: Omit<LinkCommand, "kind">,
  options: StartOptions,
): Promise<Result<ReadyCast>> {
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const sound = configErrors(workspace);
  if (!sound.ok) return sound;
  const compiled = compile(link.targets, workspace.catalog);
  if (!compiled.ok) return compiled;
  const previous = link.from === undefined ? ok(undefined) : loadPrevious(workspace.root, link.from);
  if (!previous.ok) return previous;
  const host = await openHost(workspace, options.agents, options.openReal);
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(compiled.value.graph, options.agents.model));
  if (issues.some(isError)) return fail(...issues);
  const state: JsonObject = previous.value ? { previousCastContext: previous.value.context } : {};
  const file = castFile(workspace, compiled.value, link, { ...options, state, from: previous.value?.castId ?? null });
  const { rehearsal } = options.agents;
  const brings: ReadyCast["brings"] = typeof rehearsal === "object" ? { [REPLIES]: JSON.stringify(rehearsal) } : {};
  const notes = previous.value?.notes ?? [];
  return ok({ workspace, compiled: compiled.value, file, host: host.value, notes, brings });
}

const TYPED: ReadonlySet<string> = new Set(["request", "command", "state"]);

/** From here on the cast exists. */
export async function startCast(
  ready: ReadyCast,
  driving: Omit<Driving, "host" | "cwd" | "env">,
): Promise<Result<{ folder: CastFolder; end: RunEnd }>> {
  // [S12] What holds no secret is kept, and the cast works with what is kept.
  const kept = redactKeys(ready.file, TYPED, redactor(ready.workspace.place.env));
  const folder = createCast(ready.workspace.root, kept, {
    brings: ready.brings,
    durability: driving.durability,
  });
  if (!folder.ok) return folder;
  recordCast(ready.workspace.place.env, kept);
  const { cwd, env } = ready.workspace.place;
  const take = () => ok({ state: startState(startOf(kept)), first: [] });
  const end = await drive(folder.value, take, { ...driving, cwd, env, host: ready.host });
  // [C3] Not even its owner could be written down: nothing of it has run.
  if (!end.ok) {
    discardCast(folder.value);
    forgetCast(env, kept);
  }
  return end.ok ? ok({ folder: folder.value, end: end.value }) : end;
}

function castFile(
  workspace: Workspace,
  { id, graph, targets, stitches }: Compiled,
  link: Omit<LinkCommand, "kind">,
  more: StartOptions & { readonly state: JsonObject; readonly from: CastId | null },
): CastFile {
  const now = new Date();
  const castId = newCastId(now, randomInt(2 ** 32) / 2 ** 32);
  const { model = null, rehearsal = null } = more.agents;
  return {
    castId,
    request: link.prompt,
    command: more.command ?? commandText(link),
    targets: targets.map(({ kind, name, entry }) => ({ kind, name, layer: entry.layer, file: entry.file ?? null })),
    loadout: { id, name: graph.name },
    graph,
    remappings: [...remappings(graph)],
    stitches: stitches.map((stitch) => ({ ...stitch })),
    fromCastId: more.from,
    limits: workspace.catalog.settings.limits,
    budget: {
      ...workspace.catalog.settings.budget,
      ...(link.budget === undefined ? {} : { maxTokens: link.budget }),
      ...(link.costUsd === undefined ? {} : { maxCostUsd: link.costUsd }),
    },
    state: more.state,
    cwd: workspace.place.cwd,
    model,
    rehearsal: typeof rehearsal === "object" && rehearsal ? join(workspace.root, castId, REPLIES) : rehearsal,
    configFiles: [...workspace.configFiles],
    versions: { format: FORMAT, materia: VERSION, node: process.version },
    startedAt: now.toISOString(),
  };
}
