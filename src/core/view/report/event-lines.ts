import { materiaOf, socketOf } from "../../compile/graph.ts";
import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import { currentItem, type CastState } from "../../cast/state/state.ts";
import type { SocketId } from "../../model/ids.ts";
import { isGate } from "../../model/materia.ts";
import { assertNever } from "../../model/assert-never.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../model/text.ts";
import { loopText, nameText } from "../graph/labels.ts";
import { durationText, itemsDoneText } from "../numbers.ts";
import { wrapColumns } from "../columns.ts";
import { line, toned, type Line, type Span, type Tone } from "../line.ts";
import {
  BRIEF_DETAIL,
  headAndTailLines,
  handoffLines,
  commandResultLines,
  outputLines,
  quoteLines,
  textLines,
  titleText,
  type DetailLevel,
} from "./handoff-lines.ts";
import { itemEventText } from "./item-event-text.ts";
import { limitsRaisedText, budgetWarningText, limitReachedLines, routeLines } from "./route-lines.ts";

/** [C15] What one event says, given the cast before it. Head and end of the story are not told here. */
export function eventLines(
  before: CastState,
  event: CastEvent,
  width: number,
  extent: DetailLevel = BRIEF_DETAIL,
): readonly Line[] {
  switch (event.type) {
    case "handoff_accepted":
      return isCommandGate(before, event.socket)
        ? commandResultLines(event, width)
        : handoffLines(event, width, extent);
    case "output_accepted":
      return outputLines(event, width, extent);
    case "handoff_rejected":
      return noteLines("rework", `reply ${event.attempt} rejected: `, event.issues.join("; "), width);
    case "turn_retried":
      return noteLines(
        "rework",
        `request ${event.attempt} failed, tried again after ${durationText(event.delayMs)}: `,
        event.error,
        width,
      );
    case "turn_failed":
      return longNoteLines("bad", `failed (${nameText(event.reason)}): `, event.message, width);
    case "turn_stopped":
      return [line(toned("rework", "stopped at the end of a reply, not finished; its work so far is kept"))];
    case "turn_answered":
      return textLines(event.text, event.text.length, width, extent);
    case "loop_entered":
      return [line(toned("strong", loopEnteredText(before, event)))];
    case "cursor_advanced":
      return event.index < event.size
        ? noteLines(
            "plain",
            `on to item ${event.index + 1} of ${event.size}: `,
            itemTitleAt(before, event.index),
            width,
          )
        : [];
    case "item_given_up":
      return givenUpLines(before, event, width);
    case "loop_forked":
    case "item_started":
    case "item_ended":
    case "item_merged":
    case "item_conflicted":
    case "loop_joined": {
      const { tone, ours, theirs } = itemEventText(before, event);
      return noteLines(tone, ours, theirs, width);
    }
    case "loop_exhausted":
      return [line(event.by === "empty" ? "the list is empty: no member runs" : loopDoneText(before))];
    case "edge_taken":
      return routeLines(before, event, width);
    case "limit_reached":
      return limitReachedLines(before, event, width);
    case "cast_warned":
      return noteLines("rework", "", budgetWarningText(event), width);
    case "cast_waiting":
      return [
        line(toned("wait", "‖ waiting for a person")),
        ...(event.question === undefined ? [] : textLines(event.question, event.question.length, width, extent)),
      ];
    case "person_answered":
      return [line(toned("wait", "the person answered")), ...quoteLines(event.text, width, extent)];
    case "person_finished":
      return [line(toned("wait", "the person was content"))];
    case "person_judged":
      // What they said stands in the handoff that follows.
      return [line(toned("wait", `the person said ${event.satisfied ? "yes" : "no"}`))];
    case "limits_raised":
      return [line(limitsRaisedText(event))];
    case "cast_started":
    case "visit_started":
    case "checkpoint_taken":
    case "visit_completed":
    case "cast_resumed":
    case "cast_ended":
    case "spent_elsewhere":
      return [];
    default:
      return assertNever(event);
  }
}

function isCommandGate({ graph }: CastState, socket: SocketId): boolean {
  const materia = materiaOf(graph, socketOf(graph, socket));
  return materia.type === "utility" && isGate(materia);
}

/** A few words of ours, then as much of theirs as three lines hold. */
export function noteLines(tone: Tone, ours: string, theirs: string, width: number): readonly Line[] {
  const said = oneLine(theirs, Math.max(20, 3 * width - ours.length));
  const [first = "", ...rest] = wrapColumns(`${ours}${said}`, Math.max(20, width));
  const head: readonly (string | Span)[] = first.startsWith(ours)
    ? [toned(tone, ours), first.slice(ours.length)]
    : [toned(tone, first)];
  return [line(...head), ...rest.map((each) => line("  ", each))];
}

/** [C15] A text of many lines keeps them: how it began and how it ended, with what was left out between. */
function longNoteLines(tone: Tone, ours: string, theirs: string, width: number): readonly Line[] {
  const lines = sanitizeForTerminal(theirs)
    .split("\n")
    .filter((each) => each.trim() !== "");
  if (lines.length <= 1) return noteLines(tone, ours, theirs, width);
  return [line(toned(tone, ours.trimEnd())), ...headAndTailLines(lines, { first: 3, last: 5 }, width)];
}

function loopEnteredText({ graph }: CastState, { loop, size }: EventOf<"loop_entered">): string {
  const known = Object.hasOwn(graph.loops, loop) ? graph.loops[loop] : undefined;
  return `${known ? loopText(graph, known) : `Loop ${nameText(loop)}`}: ${countedText(size, "item")}`;
}

function loopDoneText({ pass }: CastState): string {
  const total = pass?.items.length ?? 0;
  const givenUp = pass?.givenUp ?? 0;
  return givenUp === 0
    ? `all ${countedText(total, "item")} done`
    : itemsDoneText({ done: total - givenUp, total, givenUp });
}

/** [G31] Which item, and why. */
function givenUpLines(before: CastState, { index, reason }: EventOf<"item_given_up">, width: number): readonly Line[] {
  const item = `item ${index + 1} of ${before.pass?.items.length ?? 0} given up, "${itemTitleAt(before, index)}": `;
  return longNoteLines("bad", item, reason.trim() || "no reason was given", width);
}

function itemTitleAt({ pass }: CastState, index: number): string {
  return titleText(pass?.items[index]?.title ?? "", 200);
}

/** `item 2 of 3: Parse the flags`, of the item in hand; empty outside loops. */
export function currentItemText(state: CastState, limit: number): string {
  const item = currentItem(state);
  if (!item || !state.pass) return "";
  return `item ${state.pass.cursor + 1} of ${state.pass.items.length}: ${titleText(item.title, limit)}`;
}
