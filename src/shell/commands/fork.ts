import type { EventOf } from "../../core/cast/state/event.ts";
import type { CastStart } from "../../core/cast/state/state.ts";
import type { ForkCommand } from "../../core/command/command.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { compileTargets, type CompiledChain } from "../../core/compile/targets/compile.ts";
import { error, fail, isError, ok, type Result } from "../../core/model/issue.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import { forkCast, type CastFork } from "../../core/replay/fork.ts";
import { amountText, costText } from "../../core/view/numbers.ts";
import { line, toned } from "../../core/view/line.ts";
import type { ForkPreview } from "../../core/wire/testing.ts";
import { loadRecordedCast } from "../casting/rerun-cast.ts";
import { planGraph, compilationRecord, configuredDetails, type CastPlan } from "../casting/start-cast.ts";
import { itemCastIssue } from "../casting/resume-refusal.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import {
  agentNeeds,
  openAgentHost,
  type AgentSource,
  REHEARSAL_FILE,
  parseRehearsalText,
} from "../workspace/agent-hosts.ts";
import { findCast } from "../workspace/find-cast.ts";
import { checkConfiguration, trustIssue, type Workspace } from "../workspace/workspace.ts";
import type { AgentHost } from "../ports.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import type { CommandOutput } from "./command-output.ts";
import { countedText } from "../../core/model/text.ts";

/** A planned fork; it does not exist yet. */
export interface PlannedCastFork {
  readonly fork: CastFork;
  readonly plan: CastPlan;
  readonly cast: LoadedCast;
}

/** [T20] The visits that a fork reuses, and those it runs again. */
export async function planCastFork(
  workspace: Workspace,
  command: ForkCommand,
  agents: Pick<AgentSource, "model" | "rehearsal"> = {},
): Promise<Result<PlannedCastFork>> {
  const { store, catalog } = workspace;
  const id = await findCast(store, command.castId);
  if (!id.ok) return id;
  const cast = await store.load(id.value);
  if (!cast.ok) return cast;
  const { file } = cast.value;
  if (file.window) return fail(itemCastIssue(id.value, file.window.parent, "fork"));
  const own = file.targets.map(({ kind, name }) => ({ kind, name }));
  const targets = command.loadout === undefined ? own : [{ kind: "loadout" as const, name: command.loadout }];
  if (targets.length === 0)
    return fail(
      error(
        "cast_without_loadout",
        id.value,
        "this cast was started from a graph without a loadout",
        "name one with --loadout",
      ),
    );
  const compiled = compileTargets(targets, catalog);
  if (!compiled.ok) return compiled;
  const { graph } = compiled.value;
  const now: CastStart = {
    ...castStartOf(file),
    graph,
    limits: catalog.settings.limits,
    ...(command.request === undefined ? {} : { request: command.request }),
  };
  const recorded = await loadRecordedCast(store, cast.value, graph);
  const fork = forkCast(recorded, { now, visit: command.visit, handoff: command.handoff });
  if (!fork.ok) return fork;
  const plan = await buildForkPlan(workspace, {
    cast: cast.value,
    compiled: compiled.value,
    fork: fork.value,
    command,
    agents,
  });
  return ok({ fork: fork.value, plan, cast: cast.value });
}

/** The fork as a new cast: the present configuration with the shared past. */
async function buildForkPlan(
  workspace: Workspace,
  of: {
    readonly cast: LoadedCast;
    readonly compiled: CompiledChain;
    readonly fork: CastFork;
    readonly command: ForkCommand;
    readonly agents: Pick<AgentSource, "model" | "rehearsal">;
  },
): Promise<CastPlan> {
  const { cast, compiled, fork, command, agents } = of;
  const { file, castId: origin } = cast;
  const { graph } = compiled;
  const brought = await copyReplies(workspace, file, agents);
  const planned = planGraph(graph, {
    ...inheritedDetails(file, workspace),
    request: command.request ?? file.request,
    command: forkCommandText(origin, command),
    ...compilationRecord(compiled),
    ...configuredDetails(workspace.catalog),
    model: agents.model ?? file.model,
    rehearsal: rehearsalFileFor(file, agents),
  }).file;
  const { castId } = planned;
  const forkedFrom = { castId: origin, visit: fork.visit, at: planned.startedAt };
  const kept = brought === undefined ? planned : { ...planned, rehearsal: `${castId}/${REHEARSAL_FILE}` };
  const rehearsed = kept.rehearsal !== null || agents.rehearsal !== undefined;
  return {
    file: kept,
    ...(brought === undefined ? {} : { attachments: { [REHEARSAL_FILE]: brought } }),
    past: {
      origin,
      events: fork.events.map((event) =>
        event.type === "cast_started" ? withForkOrigin(event, { castId, forkedFrom, rehearsed }) : event,
      ),
    },
    notes: [forkSummary(origin, fork), filesNote(fork, command)],
  };
}

/** [C36] The fork may use another host than the first cast. */
function withForkOrigin<T extends EventOf<"cast_started">>(
  { rehearsed: _rehearsed, ...event }: T,
  { rehearsed, ...named }: Pick<CastStart, "castId"> & { forkedFrom: object; rehearsed: boolean },
) {
  return { ...event, ...named, ...(rehearsed ? { rehearsed } : {}) };
}

function inheritedDetails({ state, budget, fromCastId }: CastFile, { place, configFiles }: Workspace) {
  return { state, budget, fromCastId, cwd: place.cwd, configFiles: [...configFiles] };
}

/** Replies that came with the first cast's command are stored in its folder. */
function hasOwnReplies({ castId, rehearsal }: CastFile): boolean {
  return rehearsal !== null && rehearsal.endsWith(`${castId}/${REHEARSAL_FILE}`);
}

/** The file of replies: as typed, otherwise that of the first cast, unless a model was typed. */
function rehearsalFileFor(
  file: CastFile,
  { model, rehearsal }: Pick<AgentSource, "model" | "rehearsal">,
): string | null {
  if (typeof rehearsal === "string") return rehearsal;
  return model !== undefined || rehearsal !== undefined || hasOwnReplies(file) ? null : file.rehearsal;
}

/** Replies in the folder of the first cast are copied with the fork. */
async function copyReplies(
  { store }: Workspace,
  file: CastFile,
  { model, rehearsal }: Pick<AgentSource, "model" | "rehearsal">,
): Promise<string | undefined> {
  if (model !== undefined || rehearsal !== undefined || !hasOwnReplies(file)) return undefined;
  return store.readAttachment(file.castId, REHEARSAL_FILE);
}

function forkCommandText(castId: string, { visit, loadout, request }: ForkCommand): string {
  const place = visit === undefined ? castId : `${castId}@${visit}`;
  const options = Object.entries({ loadout, request }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteWord(value)],
  );
  return ["fork", place, ...options].join(" ");
}

/** Reported before the fork starts. */
function forkSummary(castId: string, { reused, saved, anew: [first] }: CastFork): string {
  const kept = `${countedText(reused.length, "visit")} of ${castId} reused, ${amountText(saved.tokens)} tokens and ${costText(saved.cost)} saved`;
  return first ? `${kept}; runs again from ${first.visit} (${first.why})` : kept;
}

function filesNote({ state }: CastFork, { here }: ForkCommand): string {
  if (here) return "files are restored to this point";
  if (state.files === null) return "files stay as they are now: the first cast has no checkpoints";
  return "files stay as they are now; --here restores them to this point";
}

/** A fork, and the host that passed its preflight. */
export interface ReadyCastFork extends PlannedCastFork {
  readonly host: AgentHost;
}

export async function prepareCastFork(
  workspace: Workspace,
  command: ForkCommand,
  { agents, trustsCast }: { readonly agents: AgentSource; readonly trustsCast: boolean },
): Promise<Result<ReadyCastFork>> {
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const sound = checkConfiguration(workspace);
  if (!sound.ok) return sound;
  const planned = await planCastFork(workspace, command, agents);
  if (!planned.ok) return planned;
  const { file } = planned.value.plan;
  const foreign = trustsCast ? undefined : foreignCastIssue(workspace, planned.value.cast.file);
  if (foreign) return fail(foreign);
  const rehearsal = agents.rehearsal ? ok(agents.rehearsal) : forkReplies(planned.value.plan);
  if (!rehearsal.ok) return rehearsal;
  const played = rehearsal.value === undefined ? {} : { rehearsal: rehearsal.value };
  const host = await openAgentHost(workspace, { ...agents, ...played });
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(file.graph, file.model ?? undefined));
  return issues.some(isError) ? fail(...issues) : ok({ ...planned.value, host: host.value });
}

function forkReplies({ file, attachments }: CastPlan): Result<string | Rehearsal | undefined> {
  const text = attachments?.[REHEARSAL_FILE];
  return text === undefined ? ok(file.rehearsal ?? undefined) : parseRehearsalText(REHEARSAL_FILE, text);
}

/** [T20] `--plan`: report, and start nothing. */
export async function runForkPlan(workspace: Workspace, command: ForkCommand): Promise<Result<CommandOutput>> {
  const planned = await planCastFork(workspace, command);
  if (!planned.ok) return planned;
  const { reused, saved, anew } = planned.value.fork;
  return ok({
    code: 0,
    data: { reused: [...reused], saved, anew: [...anew] } satisfies ForkPreview,
    lines: () => [
      line(toned("ok", "reused  "), reused.length === 0 ? "nothing" : reused.join(", ")),
      line(toned("ok", "saved   "), `${amountText(saved.tokens)} tokens, ${costText(saved.cost)}`),
      ...anew.map(({ visit, why }) => line(toned("rework", "anew    "), visit, toned("dim", `  ${why}`))),
    ],
  });
}
