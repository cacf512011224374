import type { CastEvent } from "../../core/cast/state/event.ts";
import { findRehearsalMistakes, findUnknownReplyKeys } from "../../core/cast/rehearsal-usage.ts";
import type { CastTimeline } from "../../core/cast/timeline.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { fail, isError, ok, type Result } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { AgentHost } from "../ports.ts";
import type { RunContext, RunObserver, RunOutcome } from "../context/run-context.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { NewCast } from "../store/cast-store.ts";
import { agentNeeds, openAgentHost, type AgentSource, sandboxIssues } from "../workspace/agent-hosts.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import { castTelemetry } from "../workspace/telemetry-target.ts";
import { checkConfiguration, trustIssue, type Workspace } from "../workspace/workspace.ts";

export interface PreparedCast extends NewCast {
  readonly castId: CastId;
  /** Where it stands before it runs. */
  readonly timeline: () => CastTimeline;
  /** The events that a new cast begins with; those of an existing one are in the store. */
  readonly past?: readonly CastEvent[];
  /** [B21] Set when the cast was submitted before. This command submits none. */
  readonly isKnown?: true;
  readonly notes: readonly string[];
  /** [T6] Replies of a rehearsal that were not used, or did not fit; asked when the cast has run. */
  readonly remarks: (end: RunOutcome) => readonly string[];
  /** [YT8] Creates a new cast for another process to run; absent if it exists already. */
  readonly create?: () => Promise<Result<undefined>>;
  /** Runs it to its end or its next pause. A refusal comes before the first event. */
  readonly run: (observer: RunObserver & Pick<RunContext, "durability" | "clock">) => Promise<Result<RunOutcome>>;
}

/**
 * Trust, configuration, host and preflight, in this order, before any cast runs here. `plan` runs when the project is trusted;
 * `origin` is the existing cast that is resumed or forked.
 */
export async function prepareRun<T extends { readonly graph: Graph; readonly agents: AgentSource }>(
  workspace: Workspace,
  plan: () => Promise<Result<T>>,
  origin?: CastFile,
): Promise<Result<T & { readonly host: AgentHost }>> {
  // [S10] Report both: agreeing to the project must not agree to the cast.
  const refusals = [trustIssue(workspace), origin && foreignCastIssue(workspace, origin)];
  const issues = refusals.flatMap((issue) => issue ?? []);
  if (issues.length > 0) return fail(...issues);
  const sound = checkConfiguration(workspace);
  if (!sound.ok) return sound;
  const planned = await plan();
  if (!planned.ok) return planned;
  const { graph, agents } = planned.value;
  const host = await openAgentHost(workspace, agents);
  if (!host.ok) return host;
  const unguarded = agents.runsElsewhere ? [] : await sandboxIssues(graph, workspace.place);
  // Servers start in their sandbox.
  if (unguarded.length > 0) return fail(...unguarded);
  const { place } = workspace;
  const missing = await host.value.preflight(agentNeeds(graph, agents.model, place.env), place);
  return missing.some(isError) ? fail(...missing) : ok({ ...planned.value, host: host.value });
}

/** What a cast that runs here runs with, and what is said before and after it. */
export function runParts(
  { store, catalog, place: { env } }: Workspace,
  host: AgentHost,
  graph: Graph,
  begins: "new" | "resumed",
) {
  const { notes, ...receivers } = castTelemetry(catalog, env);
  const usage = host.rehearsalUsage?.();
  // [T4] Names in a rehearsal that the graph does not have.
  const unknown = usage ? findUnknownReplyKeys(usage, graph) : [];
  return {
    context: { store, host, env, ...receivers },
    notes: [...notes, ...unknown.map(({ message }) => `rehearsal: ${message}`)],
    remarks: rehearsalRemarks(host, begins),
  };
}

function rehearsalRemarks(host: AgentHost, begins: "new" | "resumed"): PreparedCast["remarks"] {
  return ({ state: { phase, graph } }) => {
    const usage = host.rehearsalUsage?.();
    // A cast that stopped early may still use the remaining replies; a resumed one used some in another process.
    const isWhole =
      begins === "new" && phase.kind === "ended" && phase.outcome !== "aborted" && phase.outcome !== "failed";
    return (usage ? findRehearsalMistakes(usage, graph) : [])
      .filter(({ what }) => isWhole || what === "tool")
      .map(({ message }) => `rehearsal: ${message}`);
  };
}

const EXIT_CODES = { completed: 0, failed: 1, not_satisfied: 3, aborted: 130 } as const;

/** [C10] The exit code for scripts and CI, the same in every face. */
export function exitCodeFor(end: RunOutcome): number {
  if (end.kind === "waiting") return 4;
  if (end.kind === "asleep") return 75;
  if (end.kind === "paused") return 130;
  const { phase } = end.state;
  return end.kind === "broken" || phase.kind !== "ended" ? 1 : EXIT_CODES[phase.outcome];
}
