import type { EventBody } from "../../core/cast/event.ts";
import { next } from "../../core/cast/next.ts";
import { personAsked } from "../../core/cast/question.ts";
import type { CastState } from "../../core/cast/state.ts";
import type { Usage } from "../../core/cast/usage.ts";
import { error, fail, isError, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { recordCast } from "../config/own-casts.ts";
import { loadCast } from "../store/cast-store.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import type { RunEnd } from "../run/run-cast.ts";
import { drive, takeUp } from "./drive.ts";
import type { Driving, Hold } from "./drive.ts";
import { foreignIssue } from "./foreign.ts";
import { agentNeeds, openHost } from "./hosts.ts";
import type { AgentChoice, OpenHost } from "./hosts.ts";
import { cutOffOf, underlying } from "./interruption.ts";
import { configErrors, trustIssue } from "./workspace.ts";
import type { Workspace } from "./workspace.ts";

/** What sets a stopped cast going again. */
export type Nudge =
  | { readonly kind: "recast"; readonly maxTokens?: number; readonly maxCostUsd?: number; readonly allow?: number }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "finish" }
  /** No to a person's gate. */
  | { readonly kind: "reject"; readonly text: string };

export interface ResumeOptions {
  readonly agents: AgentChoice;
  readonly openReal: OpenHost;
  readonly nudge: Nudge;
  readonly by: string;
  /** [S10] Whether the person trusts exactly this cast, whoever began it. */
  readonly trustsCast?: boolean;
}

/** [D1] Goes on where the journal ends, in whatever process; nothing that was completed runs again. */
export async function resumeCast(
  workspace: Workspace,
  castId: string,
  options: ResumeOptions,
  driving: Omit<Driving, "host" | "cwd" | "env">,
): Promise<Result<{ cast: LoadedCast; end: RunEnd }>> {
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const sound = configErrors(workspace);
  if (!sound.ok) return sound;
  const cast = loadCast(workspace.root, castId);
  if (!cast.ok) return cast;
  const refusal = refusalOf(cast.value.journal.state, cast.value, options.nudge);
  if (refusal) return refusal;
  const foreign = options.trustsCast ? undefined : foreignIssue(workspace, cast.value.file);
  if (foreign) return fail(foreign);
  const agents = { ...rememberedChoice(cast.value), ...options.agents };
  const host = await openHost(workspace, agents, options.openReal);
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(cast.value.file.graph, agents.model));
  if (issues.some(isError)) return fail(...issues);
  const { env } = workspace.place;
  const end = await drive(cast.value, () => holdFor(workspace, castId, options), {
    ...driving,
    cwd: cast.value.file.cwd,
    env,
    host: host.value,
    ...(agents.model === undefined ? {} : { model: agents.model }),
  });
  return end.ok ? ok({ cast: cast.value, end: end.value }) : end;
}

function rememberedChoice({ file }: LoadedCast): AgentChoice {
  return {
    ...(file.model === null ? {} : { model: file.model }),
    ...(file.rehearsal === null ? {} : { rehearsal: file.rehearsal }),
  };
}

function holdFor(workspace: Workspace, castId: string, { nudge, by, trustsCast }: ResumeOptions): Result<Hold> {
  const cast = takeUp(workspace.root, castId);
  if (!cast.ok) return cast;
  const { journal } = cast.value;
  const refusal = refusalOf(journal.state, cast.value, nudge);
  if (refusal) return refusal;
  // Looked at again by its owner: what was agreed to is what will run.
  const foreign = trustsCast ? undefined : foreignIssue(workspace, cast.value.file);
  if (foreign) return fail(foreign);
  recordCast(workspace.place.env, cast.value.file);
  const { interruption, usage } = cutOffOf(cast.value);
  return ok({
    state: journal.state,
    first: nudgeEvents(journal.state, nudge, { by, usage }),
    ...(interruption === undefined ? {} : { interruption }),
  });
}

/** [Q7] Only a gate takes a no, and a no needs its reason. */
function rejectRefusal(
  castId: string,
  { text }: Extract<Nudge, { kind: "reject" }>,
  isPerson: boolean,
): Result<never> | undefined {
  if (!isPerson)
    return fail(
      error(
        "cannot_reject",
        castId,
        "this cast waits with an agent that goes on answering, not with a gate",
        `tell it what to change: "continue ${castId} MESSAGE"`,
      ),
    );
  if (text !== "") return undefined;
  return fail(error("missing_reason", "--reject", "a no needs a reason", `continue ${castId} --reject REASON`));
}

function refusalOf(state: CastState, { castId }: LoadedCast, nudge: Nudge): Result<never> | undefined {
  const { phase } = state;
  const isPerson = personAsked(state) !== undefined;
  if (nudge.kind === "recast") {
    if (phase.kind === "waiting")
      return fail(
        error(
          "cast_waits",
          castId,
          "this cast waits for a person",
          isPerson
            ? `say yes with "continue ${castId}", no with "continue ${castId} --reject REASON"`
            : `answer it with "continue ${castId} MESSAGE", or finish it with "continue ${castId}"`,
        ),
      );
    if (phase.kind !== "ended" || phase.outcome === "failed" || phase.outcome === "aborted") return undefined;
    return fail(
      error(
        "cast_is_over",
        castId,
        `this cast has ended: ${phase.outcome.replace("_", " ")}`,
        `start a new one with "link --from ${castId} …"`,
      ),
    );
  }
  const waiting = phase.kind === "ended" ? phase.before : phase;
  if (waiting.kind === "waiting") return nudge.kind === "reject" ? rejectRefusal(castId, nudge, isPerson) : undefined;
  return fail(
    error(
      "cast_does_not_wait",
      castId,
      `this cast waits for nobody`,
      phase.kind === "ended"
        ? `"recast ${castId}" resumes a failed or aborted cast`
        : `"status ${castId}" says where it is`,
    ),
  );
}

function nudgeEvents(
  state: CastState,
  nudge: Nudge,
  { by, usage }: { readonly by: string; readonly usage: Usage | undefined },
): readonly EventBody[] {
  const resumed: EventBody = { type: "cast_resumed", by, ...(usage === undefined ? {} : { usage }) };
  if (nudge.kind === "recast") {
    const raised = raisedLimits(nudge);
    // [J5] A cast that was killed before its first event begins now.
    const begun = state.phase.kind === "unstarted" ? next(state) : undefined;
    return begun?.kind === "record" ? [...begun.events, ...raised] : [...raised, resumed];
  }
  const waiting = underlying(state.phase);
  if (waiting.kind !== "waiting") throw new Error("only a waiting cast is answered");
  const place = { socket: waiting.visit.socket, visit: waiting.visit.number };
  return [resumed, { ...answerEvent(nudge, personAsked(state) !== undefined), ...place }];
}

/** [Q6] To a gate of theirs a person says yes, with or without words, or no; to an agent they talk until they are content. */
function answerEvent(nudge: Exclude<Nudge, { kind: "recast" }>, isPerson: boolean) {
  const text = nudge.kind === "finish" ? "" : nudge.text;
  if (isPerson) return { type: "person_judged", satisfied: nudge.kind !== "reject", text } as const;
  return nudge.kind === "finish"
    ? ({ type: "person_finished" } as const)
    : ({ type: "person_answered", text } as const);
}

function raisedLimits({ maxTokens, maxCostUsd, allow }: Extract<Nudge, { kind: "recast" }>): readonly EventBody[] {
  const raised = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(allow === undefined ? {} : { allow }),
  };
  return Object.keys(raised).length > 0 ? [{ type: "limits_raised", ...raised }] : [];
}
