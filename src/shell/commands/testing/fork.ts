import type { EventOf } from "../../../core/cast/state/event.ts";
import type { CastStart } from "../../../core/cast/state/state.ts";
import type { ForkCommand } from "../../../core/command/command.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { compile, type Compiled } from "../../../core/compile/targets/compile.ts";
import { error, fail, isError, ok, type Result } from "../../../core/model/issue.ts";
import type { Rehearsal } from "../../../core/model/rehearsal.ts";
import { forkCast, type CastFork } from "../../../core/testing/replay/fork.ts";
import { amountText, costText, countedText } from "../../../core/view/numbers.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { ForkPlanned } from "../../../core/wire/testing.ts";
import type { ForkPlan } from "../../testing/fork.ts";
import { planGraph, toldOf } from "../../casting/start.ts";
import { itemIssue } from "../../casting/refusal.ts";
import { foreignIssue } from "../../casting/workspace/foreign.ts";
import { agentNeeds, openHost, type Agents } from "../../casting/workspace/hosts.ts";
import { REPLIES, broughtRehearsal } from "../../casting/workspace/rehearsal-file.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import { configErrors, trustIssue, type Workspace } from "../../casting/workspace/workspace.ts";
import type { AgentHost } from "../../ports.ts";
import { startOf, type CastFile } from "../../store/cast-file.ts";
import type { LoadedCast } from "../../store/cast-store.ts";
import { recordedOf } from "../../testing/replay-cast.ts";
import type { Answer } from "../answer/answer.ts";

/** A fork that has been worked out; nothing of it exists yet. */
export interface PlannedFork {
  readonly fork: CastFork;
  readonly plan: ForkPlan;
  readonly cast: LoadedCast;
  readonly notes: readonly string[];
}

/** [T20] What a fork would take over and do anew. */
export async function planFork(
  workspace: Workspace,
  command: ForkCommand,
  agents: Pick<Agents, "model" | "rehearsal"> = {},
): Promise<Result<PlannedFork>> {
  const { store, catalog } = workspace;
  const id = await castNamed(store, command.castId);
  if (!id.ok) return id;
  const cast = await store.load(id.value);
  if (!cast.ok) return cast;
  const { file } = cast.value;
  if (file.window) return fail(itemIssue(id.value, file.window.parent, "fork"));
  const own = file.targets.map(({ kind, name }) => ({ kind, name }));
  const targets = command.loadout === undefined ? own : [{ kind: "loadout" as const, name: command.loadout }];
  if (targets.length === 0)
    return fail(error("no_loadout", id.value, "this cast was started from a graph alone", "name one with --loadout"));
  const compiled = compile(targets, catalog);
  if (!compiled.ok) return compiled;
  const { graph } = compiled.value;
  const now: CastStart = {
    ...startOf(file),
    graph,
    limits: catalog.settings.limits,
    ...(command.request === undefined ? {} : { request: command.request }),
  };
  const recorded = await recordedOf(store, cast.value, graph);
  const fork = forkCast(recorded, { now, visit: command.visit, handoff: command.handoff });
  if (!fork.ok) return fork;
  const plan = await planOf(workspace, {
    cast: cast.value,
    compiled: compiled.value,
    fork: fork.value,
    command,
    agents,
  });
  const notes = [summaryOf(id.value, fork.value), filesNote(fork.value, command)];
  return ok({ fork: fork.value, plan, cast: cast.value, notes });
}

/** The fork as a cast of its own: what is configured now, and the past that it shares. */
async function planOf(
  workspace: Workspace,
  of: {
    readonly cast: LoadedCast;
    readonly compiled: Compiled;
    readonly fork: CastFork;
    readonly command: ForkCommand;
    readonly agents: Pick<Agents, "model" | "rehearsal">;
  },
): Promise<ForkPlan> {
  const { cast, compiled, fork, command, agents } = of;
  const { file, castId: origin } = cast;
  const { graph } = compiled;
  const brought = await broughtBy(workspace, file, agents);
  const planned = planGraph(graph, {
    ...detailsOf(file, workspace),
    request: command.request ?? file.request,
    command: commandText(origin, command),
    ...toldOf(compiled),
    limits: workspace.catalog.settings.limits,
    model: agents.model ?? file.model,
    rehearsal: namedReplies(file, agents),
  }).file;
  const { castId } = planned;
  const forkedFrom = { castId: origin, visit: fork.visit, at: planned.startedAt };
  const kept = brought === undefined ? planned : { ...planned, rehearsal: `${castId}/${REPLIES}` };
  const rehearsed = kept.rehearsal !== null || agents.rehearsal !== undefined;
  return {
    file: kept,
    brings: brought === undefined ? {} : { [REPLIES]: brought },
    origin,
    events: fork.events.map((event) =>
      event.type === "cast_started" ? begunAs(event, { castId, forkedFrom, rehearsed }) : event,
    ),
    state: { ...fork.state, castId, rehearsed },
  };
}

/** [C36] Who answered the first cast need not be who answers the fork. */
function begunAs<T extends EventOf<"cast_started">>(
  { rehearsed: _rehearsed, ...event }: T,
  { rehearsed, ...named }: Pick<CastStart, "castId"> & { forkedFrom: object; rehearsed: boolean },
) {
  return { ...event, ...named, ...(rehearsed ? { rehearsed } : {}) };
}

function detailsOf({ state, budget, fromCastId }: CastFile, { place, configFiles }: Workspace) {
  return { state, budget, fromCastId, cwd: place.cwd, configFiles: [...configFiles] };
}

/** Replies that came with the first cast's command stand in its own folder. */
function isBrought({ castId, rehearsal }: CastFile): boolean {
  return rehearsal !== null && rehearsal.endsWith(`${castId}/${REPLIES}`);
}

/** The file of replies: the one that was typed, else that of the first cast, unless a model was typed in its place. */
function namedReplies(file: CastFile, { model, rehearsal }: Pick<Agents, "model" | "rehearsal">): string | null {
  if (typeof rehearsal === "string") return rehearsal;
  return model !== undefined || rehearsal !== undefined || isBrought(file) ? null : file.rehearsal;
}

/** Replies that stand in the folder of the first cast go along with the fork. */
async function broughtBy(
  { store }: Workspace,
  file: CastFile,
  { model, rehearsal }: Pick<Agents, "model" | "rehearsal">,
): Promise<string | undefined> {
  if (model !== undefined || rehearsal !== undefined || !isBrought(file)) return undefined;
  return store.readBrought(file.castId, REPLIES);
}

function commandText(castId: string, { visit, loadout, request }: ForkCommand): string {
  const place = visit === undefined ? castId : `${castId}@${visit}`;
  const options = Object.entries({ loadout, request }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteWord(value)],
  );
  return ["fork", place, ...options].join(" ");
}

/** Said before it starts. */
function summaryOf(castId: string, { reused, saved, anew: [first] }: CastFork): string {
  const kept = `${countedText(reused.length, "visit")} of ${castId} reused, ${amountText(saved.tokens)} tokens and ${costText(saved.cost)} saved`;
  return first ? `${kept}; runs anew from ${first.visit} (${first.why})` : kept;
}

function filesNote({ state }: CastFork, { here }: ForkCommand): string {
  if (here) return "files are put back as they were then";
  if (state.files === null) return "files are as they are now: those of the first cast were not kept";
  return "files are as they are now; --here puts them back as they were then";
}

/** A fork, and the host that has said that it can answer for its agents. */
export interface ReadyFork extends PlannedFork {
  readonly host: AgentHost;
}

export async function prepareFork(
  workspace: Workspace,
  command: ForkCommand,
  { agents, trustsCast }: { readonly agents: Agents; readonly trustsCast: boolean },
): Promise<Result<ReadyFork>> {
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const sound = configErrors(workspace);
  if (!sound.ok) return sound;
  const planned = await planFork(workspace, command, agents);
  if (!planned.ok) return planned;
  const { file } = planned.value.plan;
  const foreign = trustsCast ? undefined : foreignIssue(workspace, planned.value.cast.file);
  if (foreign) return fail(foreign);
  const rehearsal = agents.rehearsal ? ok(agents.rehearsal) : repliesOf(planned.value.plan);
  if (!rehearsal.ok) return rehearsal;
  const played = rehearsal.value === undefined ? {} : { rehearsal: rehearsal.value };
  const host = await openHost(workspace, { ...agents, ...played });
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(file.graph, file.model ?? undefined));
  return issues.some(isError) ? fail(...issues) : ok({ ...planned.value, host: host.value });
}

function repliesOf({ file, brings }: ForkPlan): Result<string | Rehearsal | undefined> {
  const text = brings[REPLIES];
  return text === undefined ? ok(file.rehearsal ?? undefined) : broughtRehearsal(REPLIES, text);
}

/** [T20] `--plan`: told, and nothing started. */
export async function tellFork(workspace: Workspace, command: ForkCommand): Promise<Result<Answer>> {
  const planned = await planFork(workspace, command);
  if (!planned.ok) return planned;
  const { reused, saved, anew } = planned.value.fork;
  return ok({
    code: 0,
    data: { reused: [...reused], saved, anew: [...anew] } satisfies ForkPlanned,
    lines: () => [
      line(toned("ok", "reused  "), reused.length === 0 ? "nothing" : reused.join(", ")),
      line(toned("ok", "saved   "), `${amountText(saved.tokens)} tokens, ${costText(saved.cost)}`),
      ...anew.map(({ visit, why }) => line(toned("rework", "anew    "), visit, toned("dim", `  ${why}`))),
    ],
  });
}
