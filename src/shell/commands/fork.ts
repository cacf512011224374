import type { CastStart } from "../../core/cast/state/state.ts";
import type { CommandOf, ForkCommand } from "../../core/command/command.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import { castBranch, type CastId } from "../../core/model/ids.ts";
import { failWith, fail, ok, type Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { countedText } from "../../core/model/text.ts";
import { forkCast, type CastFork } from "../../core/replay/fork.ts";
import { line, toned } from "../../core/view/line.ts";
import { amountText, costText } from "../../core/view/numbers.ts";
import type { ForkPreview } from "../../core/wire/catalog.ts";
import { type CastPast, ownWorktreeBase, planConfiguredCast, prepareStart } from "../casting/start-cast.ts";
import { prepareRun, type PreparedCast } from "../casting/prepared-cast.ts";
import { compileAgain, loadRecordedCast } from "../casting/rerun-cast.ts";
import { originalAgentChoice } from "../casting/resume-cast.ts";
import { itemCastIssue } from "../casting/resume-refusal.ts";
import { mergeBase } from "../git/refs.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import type { AgentSource } from "../workspace/agent-hosts.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { runRestore } from "./restore.ts";

const APART_NOTE = "files are restored to this point in a separate working tree";

/** [T20] A new cast with the past of another, ready to start. */
export async function prepareCastFork(
  workspace: Workspace,
  command: ForkCommand,
  given: AgentSource,
  // [YT9] Whether a separate working tree is asked for.
  { trustsCast, isApart }: { readonly trustsCast: boolean; readonly isApart: boolean },
): Promise<Result<PreparedCast>> {
  const origin = await loadOrigin(workspace, command);
  if (!origin.ok) return origin;
  const { file, castId } = origin.value;
  const plan = async () => {
    const planned = await planFork(workspace, origin.value, command);
    if (!planned.ok) return planned;
    const agents = await forkAgents(workspace, file, given);
    return agents.ok ? ok({ ...planned.value, graph: planned.value.compiled.graph, agents: agents.value }) : agents;
  };
  const ready = await prepareRun(workspace, plan, trustsCast ? undefined : file);
  if (!ready.ok) return ready;
  const { fork, host } = ready.value;
  const tree = isApart || file.ownWorktree ? await forkWorktree(workspace, { file, fork, command }) : ok(undefined);
  if (!tree.ok) return tree;
  const { state, budget, fromCastId } = file;
  const cast = planConfiguredCast(workspace, ready.value, {
    ...(tree.value ? { ownWorktree: tree.value } : {}),
    state,
    budget,
    fromCastId,
    request: command.request ?? file.request,
    command: forkCommandText(castId, command),
  });
  const notes = [forkSummary(castId, fork), tree.value ? APART_NOTE : filesNote(fork, command)];
  const prepared = prepareStart(workspace, cast, { host, notes, past: pastOf(castId, fork, cast.file) });
  if (!command.here) return ok(prepared);
  // The files after the last shared visit.
  const visit = fork.reused.at(-1);
  const restore: CommandOf<"restore"> = { kind: "restore", castId, here: true, ...withoutUndefined({ visit }) };
  const run: PreparedCast["run"] = async (observer) => {
    const restored = await runRestore(workspace, restore, workspace.place.cwd, "fork without --here");
    return restored.ok ? prepared.run(observer) : restored;
  };
  return ok({ ...prepared, run });
}

/** [YT9] The working tree of a fork has the files of the last shared checkpoint. */
async function forkWorktree(
  workspace: Workspace,
  { file, fork, command }: { readonly file: CastFile; readonly fork: CastFork; readonly command: ForkCommand },
): Promise<Result<CastFile["ownWorktree"]>> {
  if (command.here)
    return failWith("bad_option", "--here", "this fork has a separate working tree", "leave out --here");
  const base = await ownWorktreeBase(workspace, "head");
  if (!base.ok) return base;
  const { files } = fork.state;
  if (files === null) {
    const message = "the first cast has no checkpoints, so its files cannot be restored in a separate working tree";
    return failWith("missing_checkpoints", file.castId, message);
  }
  const start = file.ownWorktree?.base ?? (await mergeBase(workspace.place.cwd, base.value, files.last));
  return ok({ base: start ?? base.value });
}

async function loadOrigin({ store }: Workspace, command: ForkCommand): Promise<Result<LoadedCast>> {
  const cast = await loadNamedCast(store, command.castId);
  if (!cast.ok) return cast;
  const { castId, file } = cast.value;
  return file.window ? fail(itemCastIssue(castId, file.window.parent, "fork")) : cast;
}

async function planFork({ store, catalog }: Workspace, cast: LoadedCast, command: ForkCommand) {
  const { file } = cast;
  const compiled = compileAgain(file, command.loadout, (targets) => compileTargets(targets, catalog));
  if (!compiled.ok) return compiled;
  const { graph } = compiled.value;
  const { request = file.request } = command;
  const now: CastStart = { ...castStartOf(file), graph, limits: catalog.settings.limits, request };
  const recorded = await loadRecordedCast(store, cast, graph);
  const fork = forkCast(recorded, { now, visit: command.visit, handoff: command.handoff });
  return fork.ok ? ok({ fork: fork.value, compiled: compiled.value }) : fork;
}

/** [T38] The replies of the first cast answer again, unless a model or other replies were typed. */
async function forkAgents({ store }: Workspace, file: CastFile, given: AgentSource): Promise<Result<AgentSource>> {
  const isTyped = given.model !== undefined || given.rehearsal !== undefined;
  const original = await originalAgentChoice(store, isTyped ? { ...file, rehearsal: null } : file);
  return original.ok ? ok({ ...original.value, ...given }) : original;
}

function pastOf(origin: CastId, fork: CastFork, { castId, startedAt, rehearsal, ownWorktree }: CastFile): CastPast {
  const named = {
    castId,
    forkedFrom: { castId: origin, visit: fork.visit, at: startedAt },
    ...(ownWorktree ? { branch: castBranch(castId) } : {}),
    ...(rehearsal === null ? {} : { rehearsed: true as const }),
  };
  const events = fork.events.map((event) => {
    if (event.type !== "cast_started") return event;
    // [C36] The fork may use another host than the first cast.
    const { rehearsed: _rehearsed, ...started } = event;
    return { ...started, ...named };
  });
  return { origin, events };
}

function forkCommandText(castId: string, { visit, loadout, request }: ForkCommand): string {
  const place = visit === undefined ? castId : `${castId}@${visit}`;
  const options = Object.entries({ loadout, request }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteWord(value)],
  );
  return ["fork", place, ...options].join(" ");
}

function forkSummary(castId: string, { reused, saved, anew: [first] }: CastFork): string {
  const kept = `${countedText(reused.length, "visit")} of ${castId} reused, ${amountText(saved.tokens)} tokens and ${costText(saved.cost)} saved`;
  return first ? `${kept}; runs again from ${first.visit} (${first.why})` : kept;
}

function filesNote({ state }: CastFork, { here }: ForkCommand): string {
  if (here) return "files are restored to this point";
  if (state.files === null) return "files stay as they are now: the first cast has no checkpoints";
  return "files stay as they are now; --here restores them to this point";
}

/** [T36] `--plan`: report, and start nothing. */
export async function runForkPlan(workspace: Workspace, asked: CommandOf<"fork_plan">): CommandResult {
  const command = { ...asked, kind: "fork" as const };
  const origin = await loadOrigin(workspace, command);
  if (!origin.ok) return origin;
  const planned = await planFork(workspace, origin.value, command);
  if (!planned.ok) return planned;
  const { reused, saved, anew } = planned.value.fork;
  return answer({ reused: [...reused], saved, anew: [...anew] } satisfies ForkPreview, () => [
    line(toned("ok", "reused  "), reused.length === 0 ? "nothing" : reused.join(", ")),
    line(toned("ok", "saved   "), `${amountText(saved.tokens)} tokens, ${costText(saved.cost)}`),
    ...anew.map(({ visit, why }) => line(toned("rework", "anew    "), visit, toned("dim", `  ${why}`))),
  ]);
}
