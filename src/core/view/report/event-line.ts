import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { assertNever } from "../../model/assert-never.ts";
import { oneLine, countedText } from "../../model/text.ts";
import { statusSymbol, statusText } from "../cast-list.ts";
import { conditionText, nameText, destinationText, visitLabel } from "../graph/labels.ts";
import { countOfLimitText } from "../../cast/failure-text.ts";
import { ageText, amountText, costText } from "../numbers.ts";
import { currentItemText } from "./event-lines.ts";
import { fileChangesText, changedMeanwhileText } from "../file-changes.ts";
import { titleText } from "./handoff-lines.ts";
import { itemEventText } from "./item-event-text.ts";
import { limitReachedText, limitsRaisedText, budgetWarningText } from "./route-lines.ts";
import { fitLine, line, toned, type Line, type Tone } from "../line.ts";

export interface EventLineOptions {
  readonly width?: number;
  /** The time of day to show; without it that of the journal, which is UTC. */
  readonly timeOf?: (at: string) => string;
}

/** [C11] `12:03:11 Build (Socket-4) visit 2, item 1 of 3: …`; nothing for what only the journal needs. */
export function eventLine(
  before: CastState,
  event: CastEvent,
  { width = 160, timeOf = timeOfDay }: EventLineOptions = {},
): Line | undefined {
  const words = eventText(before, event);
  return words && fitLine(line(toned("dim", `${timeOf(event.at)} `), toned(words.tone, words.text)), width);
}

function timeOfDay(at: string): string {
  return /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)/.exec(at)?.[1] ?? "--:--:--";
}

interface EventText {
  readonly text: string;
  readonly tone: Tone;
}

const TEXT_LIMIT = 300;

/** One event in a few words, given the cast before it. */
export function eventText(before: CastState, event: CastEvent): EventText | undefined {
  switch (event.type) {
    case "cast_started":
      return say("strong", `cast ${nameText(event.castId)}, ${nameText(event.loadout)}: ${shortened(event.request)}`);
    case "visit_started":
      return say("plain", visitStartText(before, event));
    case "handoff_accepted":
      return handoffText(before, event);
    case "output_accepted":
      return say("plain", `${socketLabel(before, event.socket)} said: ${shortened(event.text) || "nothing"}`);
    case "handoff_rejected":
      return say(
        "rework",
        `${socketLabel(before, event.socket)} reply ${event.attempt} rejected: ${shortened(event.issues.join("; "))}`,
      );
    case "turn_retried":
      return say(
        "rework",
        `${socketLabel(before, event.socket)} tries again after ${ageText(event.delayMs)}: ${shortened(event.error)}`,
      );
    case "turn_failed":
      return say(
        "bad",
        `${socketLabel(before, event.socket)} failed (${nameText(event.reason)}): ${shortened(event.message)}`,
      );
    case "turn_stopped":
      return say("rework", `${socketLabel(before, event.socket)} stopped at the end of a reply, not finished`);
    case "turn_answered":
      return say("plain", `${socketLabel(before, event.socket)} answered: ${shortened(event.text)}`);
    case "loop_entered":
      return say("plain", `loop ${nameText(event.loop)}: ${countedText(event.size, "item")}`);
    case "cursor_advanced":
      return advancedText(before, event);
    case "item_given_up":
      return say(
        "bad",
        `item ${event.index + 1} of ${before.pass?.items.length ?? 0} given up, "${titleText(before.pass?.items[event.index]?.title ?? "", 80)}": ${shortened(event.reason) || "no reason"}`,
      );
    case "loop_forked":
    case "item_started":
    case "item_ended":
    case "item_merged":
    case "item_conflicted":
    case "loop_joined": {
      const { tone, ours, theirs } = itemEventText(before, event);
      return say(tone, `${ours}${shortened(theirs)}`);
    }
    case "edge_taken":
      return reworkText(before, event);
    case "limit_reached":
      return say("bad", limitReachedText(event));
    case "cast_warned":
      return say("rework", budgetWarningText(event));
    case "cast_waiting":
      return say("wait", `${socketLabel(before, event.socket)} waits for a person`);
    case "person_answered":
      return say("wait", `the person answered: ${shortened(event.text)}`);
    case "person_finished":
      return say("wait", `the person was content with ${socketLabel(before, event.socket)}`);
    case "person_judged":
      return say(event.satisfied ? "ok" : "rework", personAnswerText(event));
    case "limits_raised":
      return say("plain", limitsRaisedText(event));
    case "cast_resumed":
      return say("accent", `resumed by ${nameText(event.by)}${changedMeanwhileText(event)}`);
    case "cast_ended":
      return castEndText(event);
    case "visit_completed":
      return changedFilesText(before, event);
    case "checkpoint_taken":
    case "loop_exhausted":
    case "spent_elsewhere":
      return undefined;
    default:
      return assertNever(event);
  }
}

/** [W36] The same for whoever reads the journal itself: there every event says something. */
export function journalText(before: CastState, event: CastEvent): EventText {
  return eventText(before, event) ?? say("dim", silentEventText(before, event));
}

function silentEventText(before: CastState, event: CastEvent): string {
  switch (event.type) {
    case "visit_completed": {
      const { input, output, cost } = event.usage;
      return `${socketLabel(before, event.socket)} is over${input + output === 0 ? "" : `: ${amountText(input + output)} tokens, ${costText(cost)}`}`;
    }
    case "edge_taken":
      return `${event.when === null ? "otherwise" : conditionText(event.when)} → ${destinationText(before.graph, event.to)}`;
    case "checkpoint_taken":
      return `the files were kept: ${fileChangesText(event.files) ?? "nothing changed"}`;
    case "loop_exhausted":
      return `loop ${nameText(event.loop)} ${event.by === "empty" ? "has no items" : "is walked to its end"}`;
    case "cursor_advanced":
      return `on to item ${Math.min(event.index + 1, event.size)} of ${event.size}`;
    case "spent_elsewhere":
      return "items that are worked on at the same time have used more";
    default:
      return event.type.replaceAll("_", " ");
  }
}

/** An item that was given up has been told so. */
function advancedText({ phase }: CastState, { index, size }: EventOf<"cursor_advanced">): EventText | undefined {
  const gaveUp = phase.kind === "leaving" && phase.gaveUp;
  return gaveUp ? undefined : say("ok", `item ${index} of ${size} done`);
}

function changedFilesText(before: CastState, { socket, files }: EventOf<"visit_completed">): EventText | undefined {
  const changed = fileChangesText(files);
  return changed === undefined ? undefined : say("plain", `${socketLabel(before, socket)} ${changed}`);
}

function personAnswerText({ satisfied, text }: EventOf<"person_judged">): string {
  return `the person said ${satisfied ? "yes" : "no"}${text.trim() === "" ? "" : `: ${shortened(text)}`}`;
}

function say(tone: Tone, text: string): EventText {
  return { tone, text };
}

function shortened(text: string): string {
  return oneLine(text, TEXT_LIMIT);
}

function socketLabel({ graph }: CastState, socket: SocketId): string {
  return visitLabel(socket, socketOf(graph, socket).materia);
}

function visitStartText(before: CastState, { socket, materia, visit }: EventOf<"visit_started">): string {
  const again = visit > 1 ? [`visit ${visit}`] : [];
  const item = currentItemText(before, TEXT_LIMIT);
  const details = [...again, ...(item === "" ? [] : [item])].join(", ");
  return `${visitLabel(socket, materia)}${details === "" ? "" : ` ${details}`}`;
}

function handoffText(before: CastState, { socket, handoff }: EventOf<"handoff_accepted">): EventText {
  const { workItems, satisfied, context, state } = handoff;
  const said = [
    ...(Array.isArray(workItems) ? [countedText(workItems.length, "work item")] : []),
    ...(typeof satisfied === "boolean" ? [satisfied ? "satisfied" : "not satisfied"] : []),
    ...(isJsonObject(state)
      ? Object.keys(state)
          .slice(0, 3)
          .map((key) => `state.${nameText(key)}`)
      : []),
  ].join(", ");
  const why = typeof context === "string" && context.trim() !== "" ? shortened(context) : "";
  const tone = satisfied === true ? "ok" : satisfied === false ? "rework" : "plain";
  return say(
    tone,
    `${socketLabel(before, socket)} handed over ${[said, why].filter((part) => part !== "").join(": ") || "its result"}`,
  );
}

/** A way on shows in the visit it leads to; a way back is worth a line of its own. */
function reworkText(
  { graph }: CastState,
  { from, to, when, via, index, traversal, then }: EventOf<"edge_taken">,
): EventText | undefined {
  if (when !== "not_satisfied") return undefined;
  if (then) return say("rework", `used up → ${destinationText(graph, to)}`);
  const edge = via === "edge" ? socketOf(graph, from).edges[index ?? -1] : undefined;
  const count = edge?.maxTraversals === undefined ? "" : `, ${countOfLimitText(traversal, edge.maxTraversals)}`;
  return say("rework", `✗ not satisfied → ${destinationText(graph, to)}${count}`);
}

function castEndText({ outcome, reason }: EventOf<"cast_ended">): EventText {
  const { text, tone = "plain" } = statusSymbol(outcome);
  return say(tone, `${text} ${statusText(outcome)}${reason.trim() === "" ? "" : `: ${shortened(reason)}`}`);
}
