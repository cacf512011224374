import type { LimitName, CastEvent } from "../../cast/state/event.ts";
import { limitHitIn } from "../../cast/limits.ts";
import { reworkLimitOf } from "../../cast/rework-limit.ts";
import { askedPersonMateria } from "../../cast/prompt-text.ts";
import type { CastState } from "../../cast/state/state.ts";
import { totalTokens } from "../../cast/state/usage.ts";
import { hasResult, type CastStatus } from "../../cast/summary.ts";
import { oneLine } from "../../model/text.ts";
import { sleepText } from "../numbers.ts";
import { statusSpan } from "../cast-list.ts";
import { line, lineColumns, toned, type Line } from "../line.ts";
import { type VisitRecord, visitKey } from "../../history/visits.ts";
import { isJsonObject } from "../../model/json.ts";
import { modelText } from "./visit-detail.ts";
import type { ForkCommand } from "../../command/command.ts";
import { materiaOf, socketOf, type Graph } from "../../compile/graph.ts";
import { END } from "../../model/ids.ts";
import { materiaMayWrite } from "../../model/materia.ts";

export interface NextStep {
  readonly command: string;
  readonly does: string;
}

/** The commands for the status of a cast, the most likely first. `program` is the word before a command. */
export function nextSteps(state: CastState, status: CastStatus, program = "materia"): readonly NextStep[] {
  const id = state.castId;
  const step = (command: string, does: string): NextStep => ({ command: `${program} ${command}`, does });
  switch (status) {
    case "running":
    case "queued":
      return [step(`abort ${id}`, "stop it")];
    case "waiting":
      if (askedPersonMateria(state))
        return [step(`continue ${id}`, "yes"), step(`continue ${id} --reject <reason>`, "no, with the reason")];
      return [step(`continue ${id} <message>`, "answer"), step(`continue ${id}`, "take the result and go on")];
    case "completed":
      if (state.branch !== undefined)
        return [step(`take ${id}`, "bring its branch home"), step(`take ${id} --merge`, "merge it")];
      return [step(`link --from ${id} Chain-Context <target> -- <prompt>`, "build on it")];
    case "not_satisfied":
      return [step(`link --from ${id} Chain-Context Build -- <prompt>`, "go on from what is missing")];
    case "failed": {
      const limit = limitHitIn(state.phase)?.limit;
      const does = limit ? RAISE_EFFECTS[limit] : "try again where it stopped";
      return [step(`recast ${id}${raiseOptions(limit, state)}`, does), ...reworkDecisions(state, step)];
    }
    case "sleeping":
      return [
        step(`recast ${id}`, "wake it now"),
        step(`recast ${id} --model <provider/id>`, "use another model"),
        step(`abort ${id}`, "stop it"),
      ];
    case "paused":
      return [
        step(`recast ${id}`, "try again and go on where it stopped"),
        step(`recast ${id} --wait 8h`, "the same, and sleep through further limits"),
        step(`recast ${id} --model <provider/id>`, "use another model"),
      ];
    case "aborted":
    case "interrupted":
      return [step(`recast ${id}`, "go on where it stopped")];
  }
}

/** The first line about a cast that stopped: status, loadout and id. */
export function stoppedHeadLine({ castId, graph }: CastState, status: CastStatus, nameLength: number): Line {
  return line(statusSpan(status), "  ", toned("strong", oneLine(graph.name, nameLength)), "  ", toned("dim", castId));
}

/** The story of a stopped cast and its next steps, one command a line. */
export function stoppedStepLines(state: CastState, status: CastStatus, program: string): readonly Line[] {
  return stepLines([storyStep(state, program), ...nextSteps(state, status, program)]);
}

export function stepLines(steps: readonly NextStep[]): readonly Line[] {
  return steps.map((step) => nextStepLine(step, Infinity));
}

/** People copy the command, so a narrow line drops the explanation. */
export function nextStepLine({ command, does }: NextStep, width: number): Line {
  const whole = line(toned("accent", command), toned("dim", `  ${does}`));
  return lineColumns(whole) <= width ? whole : line(toned("accent", command));
}

function storyStep({ castId }: CastState, program: string): NextStep {
  return { command: `${program} show ${castId}`, does: "the story" };
}

/** A longer command is not readable on a card. */
const MAX_COMMAND_LENGTH = 200;

/** [X62] All that can be done with the result of a cast. `typed` is the command that started it. */
export function resultSteps(
  state: CastState,
  status: CastStatus,
  { program, typed = "" }: { readonly program: string; readonly typed?: string | undefined },
): readonly NextStep[] {
  const { castId: id, files, branch } = state;
  const step = (command: string, does: string): NextStep => ({ command: `${program} ${command}`, does });
  const steps = [
    storyStep(state, program),
    ...(files && files.base !== files.last ? [step(`diff ${id}`, "the patch")] : []),
    ...nextSteps(state, status, program),
  ];
  if (!hasResult(state)) return steps;
  const isTypable = typed !== "" && typed.length <= MAX_COMMAND_LENGTH && !typed.includes("\n");
  return [
    ...steps,
    ...(branch === undefined ? [] : [step(`link --from ${id} Chain-Context <target> -- <prompt>`, "build on it")]),
    ...(isTypable ? [step(typed, "run it again")] : []),
    step(`record ${id}`, "make a test of it"),
  ];
}

/** Why a cast did not complete; empty if it did, or has not ended. */
export function incompleteReason({ phase }: CastState): string {
  if (phase.kind === "sleeping") return `${sleepText(phase, Date.now())}; nothing is lost: ${phase.reason}`;
  return phase.kind === "ended" && phase.outcome !== "completed" ? phase.reason : "";
}

/** The question of a waiting cast, or the last words of one with a result; otherwise empty. */
export function lastReply({ phase, handed }: CastState): string {
  if (phase.kind === "waiting") return phase.reply;
  return hasResult({ phase }) ? (handed?.text.trim() ?? "") : "";
}

/** [R6] Further decisions about work that was sent back too often. */
function reworkDecisions(state: CastState, step: (command: string, does: string) => NextStep): readonly NextStep[] {
  const limit = reworkLimitOf(state);
  if (!limit) return [];
  const recast = `recast ${state.castId}`;
  return [
    step(`${recast} --hint <words>`, "the same, with a hint"),
    step(`${recast} --accept`, "accept it as it is and go on"),
    ...(limit.item ? [step(`${recast} --next`, "give the item up and go on with the next")] : []),
  ];
}

/** The options of `recast` that go on from a limit. */
function raiseOptions(limit: LimitName | undefined, { budget, usage }: CastState): string {
  if (limit === undefined || limit === "maxRepeatedCalls") return "";
  if (limit === "maxTokens") return ` --budget ${2 * Math.max(budget.maxTokens ?? 0, totalTokens(usage), 50_000)}`;
  if (limit === "maxCostUsd") return ` --cost ${Math.ceil(2 * Math.max(budget.maxCostUsd ?? 0, usage.cost))}`;
  return " --allow 1";
}

const RAISE_EFFECTS: Readonly<Record<LimitName, string>> = {
  maxTokens: "raise the budget and go on where it stopped",
  maxCostUsd: "raise the budget and go on where it stopped",
  maxTurnTokens: "allow the turn as much again and go on where it stopped",
  maxTurnMinutes: "allow the turn as long again and go on where it stopped",
  maxTraversals: "allow this edge once more and go on",
  maxUnchanged: "send it back once more and go on",
  maxNoAdvanceCycles: "allow one more return and go on",
  maxConflicts: "allow one more attempt to resolve the conflict and go on",
  maxRepairs: "allow one more repair turn and go on",
  maxRepeatedCalls: "let the agent go on where it stopped",
};

/** [W44] What a finished cast brought, apart from its figures. */
export interface FinishedWork {
  /** The last report. */
  readonly words: string;
  readonly branch: string | null;
  /** Programs and people that judged the result and were satisfied at last. */
  readonly gates: readonly { readonly materia: string; readonly times: number }[];
  /** Why it is not satisfied, and items that were given up. */
  readonly openPoints: readonly string[];
  readonly models: readonly string[];
  readonly commands: readonly string[];
}

type FinishedVisit = Pick<VisitRecord, "materia" | "socket" | "outcome" | "model" | "givenUp" | "item">;

export function castResult(
  state: CastState,
  events: readonly CastEvent[],
  visits: readonly FinishedVisit[],
): FinishedWork {
  const branch = branchIn(Object.values(state.data));
  const [first] = events;
  const files = first?.type === "cast_started" ? first.files : undefined;
  const from = files && "commit" in files ? files.commit.slice(0, 9) : null;
  const reason = incompleteReason(state).trim();
  const lost = visits.flatMap(({ givenUp, item }) =>
    givenUp === null ? [] : [`${item?.title ?? "An item"} was given up: ${givenUp.trim() || "no reason was given"}`],
  );
  return {
    words: lastReply(state),
    branch,
    gates: passedGates(visits),
    openPoints: [...(reason === "" ? [] : [reason]), ...lost],
    models: [...new Set(visits.flatMap(({ model }) => (model === null ? [] : [modelText(model)])))],
    commands: [
      ...(branch === null ? [] : [`git log --stat ${from === null ? "" : `${from}..`}${branch}`]),
      ...(from === null ? [] : [`materia diff ${state.castId}`]),
    ],
  };
}

/** The judges whose last word was yes, with the number of their yeses. */
function passedGates(visits: readonly FinishedVisit[]): FinishedWork["gates"] {
  const judged = visits.filter(({ outcome }) => outcome === "satisfied" || outcome === "not_satisfied");
  return [...Map.groupBy(judged, ({ socket }) => socket).values()].flatMap((all) => {
    const last = all.at(-1);
    if (last?.outcome !== "satisfied") return [];
    return [{ materia: last.materia, times: all.filter(({ outcome }) => outcome === "satisfied").length }];
  });
}

/** The branch that a bundled utility put into the state: `{ "kind": "git", "branch": "…" }`. */
function branchIn(values: readonly unknown[]): string | null {
  for (const value of values)
    if (isJsonObject(value) && value["kind"] === "git" && typeof value["branch"] === "string") return value["branch"];
  return null;
}

export interface ReviewedCast {
  readonly castId: string;
  readonly request: string;
  readonly graph: Graph;
  readonly visits: readonly VisitRecord[];
}

export interface SentBackCast {
  readonly builder: string;
  readonly command: ForkCommand;
}

/** [YW2] The last judge refuses with these words; without one its last writer starts again with them in the request. */
export function sendBack({ castId, request, graph, visits }: ReviewedCast, words: string): SentBackCast | null {
  const materiaFor = ({ socket }: VisitRecord) => materiaOf(graph, socketOf(graph, socket));
  const agents = visits.filter((visit) => visit.isCompleted && materiaFor(visit).type === "agent");
  for (const judge of agents.toReversed()) {
    const to = socketOf(graph, judge.socket).edges.find(({ when }) => when === "not_satisfied")?.to;
    const builder = to === undefined || to === END ? undefined : visits.find(({ socket }) => socket === to);
    if (!builder || judge.result?.kind !== "handoff") continue;
    const handoff = JSON.stringify({ ...judge.result.handoff, satisfied: false, context: words });
    const visit = visitKey(judge.socket, judge.visit);
    return { builder: builder.materia, command: { kind: "fork", castId, visit, handoff } };
  }
  const writer = agents.findLast((visit) => materiaMayWrite(materiaFor(visit))) ?? agents[0];
  if (!writer) return null;
  const visit = visitKey(writer.socket, writer.visit);
  const reviewed = `${request}\n\nA person reviewed the result and sent it back:\n${words}`;
  return { builder: writer.materia, command: { kind: "fork", castId, visit, request: reviewed } };
}
