import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/values/json.ts";
import { never } from "../../model/values/never.ts";
import { oneLine } from "../../model/values/text.ts";
import { statusMark, statusText } from "../casts.ts";
import { conditionText, nameText, placeText, visitText } from "../graph/words.ts";
import { ofText } from "../../cast/words/of-text.ts";
import { ageText, amountText, costText, countedText } from "../numbers.ts";
import { itemText } from "./event.ts";
import { changedText, meanwhileText } from "./files.ts";
import { titleText } from "./handed.ts";
import { itemWords } from "./items.ts";
import { limitText, raisedText, warningText } from "./limit.ts";
import { fitLine, line, toned, type Line, type Tone } from "../text/line.ts";

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
  const words = eventWords(before, event);
  return words && fitLine(line(toned("dim", `${timeOf(event.at)} `), toned(words.tone, words.text)), width);
}

function timeOfDay(at: string): string {
  return /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)/.exec(at)?.[1] ?? "--:--:--";
}

interface EventWords {
  readonly text: string;
  readonly tone: Tone;
}

/** Whether an event is told in words, without making those of the most frequent ones: of a long cast only the last are read. */
export function isTold(before: CastState, event: CastEvent): boolean {
  switch (event.type) {
    case "visit_started":
    case "handoff_accepted":
    case "output_accepted":
      return true;
    default:
      return eventWords(before, event) !== undefined;
  }
}

const TEXT_LIMIT = 300;

/** One event in a few words, given the cast before it. */
export function eventWords(before: CastState, event: CastEvent): EventWords | undefined {
  switch (event.type) {
    case "cast_started":
      return say("strong", `cast ${nameText(event.castId)}, ${nameText(event.loadout)}: ${told(event.request)}`);
    case "visit_started":
      return say("plain", visitWords(before, event));
    case "handoff_accepted":
      return handedWords(before, event);
    case "output_accepted":
      return say("plain", `${who(before, event.socket)} said: ${told(event.text) || "nothing"}`);
    case "handoff_rejected":
      return say(
        "rework",
        `${who(before, event.socket)} reply ${event.attempt} rejected: ${told(event.issues.join("; "))}`,
      );
    case "turn_retried":
      return say(
        "rework",
        `${who(before, event.socket)} tries again after ${ageText(event.delayMs)}: ${told(event.error)}`,
      );
    case "turn_failed":
      return say("bad", `${who(before, event.socket)} failed (${nameText(event.reason)}): ${told(event.message)}`);
    case "turn_stopped":
      return say("rework", `${who(before, event.socket)} stopped at the end of a reply, not finished`);
    case "turn_answered":
      return say("plain", `${who(before, event.socket)} answered: ${told(event.text)}`);
    case "loop_entered":
      return say("plain", `loop ${nameText(event.loop)}: ${countedText(event.size, "item")}`);
    case "cursor_advanced":
      return advancedWords(before, event);
    case "item_given_up":
      return say(
        "bad",
        `item ${event.index + 1} of ${before.pass?.items.length ?? 0} given up, "${titleText(before.pass?.items[event.index]?.title ?? "", 80)}": ${told(event.reason) || "no reason"}`,
      );
    case "loop_forked":
    case "item_started":
    case "item_ended":
    case "item_merged":
    case "item_conflicted":
    case "loop_joined": {
      const { tone, ours, theirs } = itemWords(before, event);
      return say(tone, `${ours}${told(theirs)}`);
    }
    case "edge_taken":
      return reworkWords(before, event);
    case "limit_reached":
      return say("bad", limitText(event));
    case "cast_warned":
      return say("rework", warningText(event));
    case "cast_waiting":
      return say("wait", `${who(before, event.socket)} waits for a person`);
    case "person_answered":
      return say("wait", `the person answered: ${told(event.text)}`);
    case "person_finished":
      return say("wait", `the person was content with ${who(before, event.socket)}`);
    case "person_judged":
      return say(event.satisfied ? "ok" : "rework", judgedText(event));
    case "limits_raised":
      return say("plain", raisedText(event));
    case "cast_resumed":
      return say("accent", `resumed by ${nameText(event.by)}${meanwhileText(event)}`);
    case "cast_ended":
      return endWords(event);
    case "visit_completed":
      return changedWords(before, event);
    case "checkpoint_taken":
    case "loop_exhausted":
    case "spent_elsewhere":
      return undefined;
    default:
      return never(event);
  }
}

/** [W36] The same for whoever reads the journal itself: there every event says something. */
export function journalWords(before: CastState, event: CastEvent): EventWords {
  return eventWords(before, event) ?? say("dim", quietWords(before, event));
}

function quietWords(before: CastState, event: CastEvent): string {
  switch (event.type) {
    case "visit_completed": {
      const { input, output, cost } = event.usage;
      return `${who(before, event.socket)} is over${input + output === 0 ? "" : `: ${amountText(input + output)} tokens, ${costText(cost)}`}`;
    }
    case "edge_taken":
      return `${event.when === null ? "otherwise" : conditionText(event.when)} → ${placeText(before.graph, event.to)}`;
    case "checkpoint_taken":
      return `the files were kept: ${changedText(event.files) ?? "nothing changed"}`;
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
function advancedWords({ phase }: CastState, { index, size }: EventOf<"cursor_advanced">): EventWords | undefined {
  const gaveUp = phase.kind === "leaving" && phase.gaveUp;
  return gaveUp ? undefined : say("ok", `item ${index} of ${size} done`);
}

function changedWords(before: CastState, { socket, files }: EventOf<"visit_completed">): EventWords | undefined {
  const changed = changedText(files);
  return changed === undefined ? undefined : say("plain", `${who(before, socket)} ${changed}`);
}

function judgedText({ satisfied, text }: EventOf<"person_judged">): string {
  return `the person said ${satisfied ? "yes" : "no"}${text.trim() === "" ? "" : `: ${told(text)}`}`;
}

function say(tone: Tone, text: string): EventWords {
  return { tone, text };
}

function told(text: string): string {
  return oneLine(text, TEXT_LIMIT);
}

function who({ graph }: CastState, socket: SocketId): string {
  return visitText(socket, socketOf(graph, socket).materia);
}

function visitWords(before: CastState, { socket, materia, visit }: EventOf<"visit_started">): string {
  const again = visit > 1 ? [`visit ${visit}`] : [];
  const item = itemText(before, TEXT_LIMIT);
  const details = [...again, ...(item === "" ? [] : [item])].join(", ");
  return `${visitText(socket, materia)}${details === "" ? "" : ` ${details}`}`;
}

function handedWords(before: CastState, { socket, handoff }: EventOf<"handoff_accepted">): EventWords {
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
  const why = typeof context === "string" && context.trim() !== "" ? told(context) : "";
  const tone = satisfied === true ? "ok" : satisfied === false ? "rework" : "plain";
  return say(
    tone,
    `${who(before, socket)} handed over ${[said, why].filter((part) => part !== "").join(": ") || "its result"}`,
  );
}

/** A way on shows in the visit it leads to; a way back is worth a line of its own. */
function reworkWords(
  { graph }: CastState,
  { from, to, when, via, index, traversal, then }: EventOf<"edge_taken">,
): EventWords | undefined {
  if (when !== "not_satisfied") return undefined;
  if (then) return say("rework", `used up → ${placeText(graph, to)}`);
  const edge = via === "edge" ? socketOf(graph, from).edges[index ?? -1] : undefined;
  const count = edge?.maxTraversals === undefined ? "" : `, ${ofText(traversal, edge.maxTraversals)}`;
  return say("rework", `✗ not satisfied → ${placeText(graph, to)}${count}`);
}

function endWords({ outcome, reason }: EventOf<"cast_ended">): EventWords {
  const { text, tone = "plain" } = statusMark(outcome);
  return say(tone, `${text} ${statusText(outcome)}${reason.trim() === "" ? "" : `: ${told(reason)}`}`);
}
