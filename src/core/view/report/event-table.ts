import { countOfLimitText } from "../../cast/failure-text.ts";
import type { CastEvent, EventOf, EventType } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { totalTokens } from "../../cast/state/usage.ts";
import { materiaOf, socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { isGate } from "../../model/materia.ts";
import { countedText } from "../../model/text.ts";
import { statusSymbol, statusText } from "../cast-list.ts";
import { changedSinceText, fileChangesText } from "../file-changes.ts";
import { conditionText, conversationText, destinationText, loopText, nameText } from "../graph/labels.ts";
import { line, toned, type Line, type Tone } from "../line.ts";
import { ageText, amountText, clockText, costText, itemsDoneText } from "../numbers.ts";
import {
  commandResultLines,
  handoffLines,
  longNoteLines,
  noteLines,
  quoteLines,
  textLines,
  titleText,
  type DetailLevel,
  currentItemText,
  itemEndedReport,
  itemPositionText,
  conflictFilesText,
  shortCommit,
} from "./handoff-lines.ts";
import { budgetWarningText, limitReachedLines, limitReachedText, limitsRaisedText, routeLines } from "./route-lines.ts";

/** What reports say about one event. The story, the progress lines and the journal view all read it. */
export interface EventReport {
  readonly tone: Tone;
  readonly words: string;
  /** Text of an agent, a person or a program. Views shorten it, never the words before it. */
  readonly quote?: string;
  /** Set where the event belongs to a visit: one-line views name its socket, the story indents it. */
  readonly socket?: SocketId;
  /** The lines of the story, where they differ from words and quote; none for facts that its headings state. */
  readonly storyLines?: (width: number, detail: DetailLevel) => readonly Line[];
}

export function describeEvent(before: CastState, event: CastEvent): EventReport {
  const report = EVENT_REPORTS[event.type] as EventReporter<EventType>; // the table pairs each type with its event
  return report(before, event);
}

type EventReporter<K extends EventType> = (before: CastState, event: EventOf<K>) => EventReport;

const IN_HEADINGS = { storyLines: () => [] };

/** [C11, C15, W36] The only words for events. */
const EVENT_REPORTS: { readonly [K in EventType]: EventReporter<K> } = {
  cast_started: (_, { castId, loadout, request }) => ({
    tone: "strong",
    words: `cast ${nameText(castId)}, ${nameText(loadout)}: `,
    quote: request,
    ...IN_HEADINGS,
  }),
  visit_started: (before, event) => ({
    tone: "plain",
    socket: event.socket,
    words: [event.visit > 1 ? `visit ${event.visit}` : "", conversationText(event), currentItemText(before, 300)]
      .filter(Boolean)
      .join(", "),
    ...IN_HEADINGS,
  }),
  handoff_accepted: reportHandoff,
  output_accepted: (_, { socket, text, chars, approved }) => ({
    tone: "plain",
    socket,
    words: "said: ",
    quote: text.trim() || "nothing",
    // What a person approved stands above it already.
    storyLines: (width, detail) =>
      approved ? [line(toned("dim", "handed on unchanged"))] : textLines(text, chars, width, detail),
  }),
  handoff_rejected: (_, { socket, attempt, issues }) => ({
    tone: "rework",
    socket,
    words: `reply ${attempt} rejected: `,
    quote: issues.join("; "),
  }),
  turn_retried: (_, { socket, attempt, delayMs, error }) => ({
    tone: "rework",
    socket,
    words: `request ${attempt} failed, retry after ${ageText(delayMs)}: `,
    quote: error,
  }),
  model_switched: (_, { socket, from, to, reason }) => ({
    tone: "rework",
    socket,
    words: `goes on with ${nameText(to)} instead of ${nameText(from)}: `,
    quote: reason,
  }),
  turn_compacted: (_, { socket, tokensBefore }) => {
    return { tone: "plain", socket, words: `conversation summarised at ${amountText(tokensBefore)} tokens` };
  },
  extension_asked: (_, { socket, extension, question, outcome, choice = outcome }) => ({
    tone: outcome === "dismissed" || outcome === "nobody" ? "rework" : "plain",
    socket,
    words: `extension ${nameText(extension)} asked (${outcome === "nobody" ? "nobody was there" : nameText(choice)}): `,
    quote: question,
  }),
  cast_sleeping: (_, { until, provider, paused, reason }) => ({
    tone: paused ? "rework" : "wait",
    words: `${nameText(provider)} limit, ${paused ? "paused" : "asleep"} until ${clockText(until)}: `,
    quote: reason,
  }),
  cast_woken: () => ({ tone: "wait", words: "awake again" }),
  turn_failed: (_, { socket, reason, message }) => ({
    socket,
    ...longReport(`failed (${nameText(reason)}): `, message),
  }),
  turn_stopped: (_, { socket }) => {
    return { tone: "rework", socket, words: "stopped after a reply, not finished; its work so far is kept" };
  },
  turn_answered: (_, { socket, text }) => ({
    tone: "plain",
    socket,
    words: "answered: ",
    quote: text,
    storyLines: (width, detail) => textLines(text, text.length, width, detail),
  }),
  checkpoint_taken: (_, { socket, files }) => ({
    tone: "plain",
    socket,
    words: `checkpoint: ${fileChangesText(files) ?? "nothing changed"}`,
    ...IN_HEADINGS,
  }),
  visit_completed: (_, { socket, usage, files }) => {
    const used = totalTokens(usage) === 0 ? "" : `: ${amountText(totalTokens(usage))} tokens, ${costText(usage.cost)}`;
    return { tone: "plain", socket, words: fileChangesText(files) ?? `completed${used}`, ...IN_HEADINGS };
  },
  loop_entered: ({ graph }, { loop: id, size }) => {
    const loop = Object.hasOwn(graph.loops, id) ? graph.loops[id] : undefined;
    const items = countedText(size, "item");
    return {
      tone: "plain",
      words: `loop ${nameText(id)}: ${items}`,
      storyLines: () => [line(toned("strong", `${loop ? loopText(graph, loop) : `Loop ${nameText(id)}`}: ${items}`))],
    };
  },
  cursor_advanced: reportNextItem,
  loop_exhausted: ({ pass }, { by }) => {
    const [total, givenUp] = [pass?.items.length ?? 0, pass?.givenUp.length ?? 0];
    if (by === "empty") return { tone: "plain", words: "the list is empty: no socket of the loop runs" };
    const all = `all ${countedText(total, "item")} done`;
    return { tone: "plain", words: givenUp === 0 ? all : itemsDoneText({ done: total - givenUp, total, givenUp }) };
  },
  item_given_up: ({ pass }, { index, reason }) => {
    const [of, title] = [pass?.items.length ?? 0, titleText(pass?.items[index]?.title ?? "", 80)];
    return longReport(`item ${index + 1} of ${of} given up, "${title}": `, reason.trim() || "no reason was given");
  },
  edge_taken: reportWay,
  limit_reached: (before, event) => ({
    tone: "bad",
    words: limitReachedText(event),
    storyLines: (width) => limitReachedLines(before, event, width),
  }),
  loop_forked: (_, { base, lanes, reason = "" }) =>
    base === null
      ? { tone: "rework", words: "items run one after another: ", quote: reason }
      : { tone: "plain", words: `up to ${countedText(lanes, "item")} at once, from ${shortCommit(base)}` },
  item_started: (before, { index, attempt, title }) => ({
    tone: attempt === 1 ? "plain" : "rework",
    words: `${itemPositionText(before, index)} begins${attempt === 1 ? "" : ` again, attempt ${attempt}`}: `,
    quote: titleText(title, 200),
  }),
  item_ended: itemEndedReport,
  visit_skipped: (_, { materia, skips }) => ({
    tone: "plain",
    words: `${nameText(materia)} (${skips}) is not asked again: only conflicting lines have changed`,
  }),
  item_merged: (before, { index, commit }) => ({
    tone: "ok",
    words: `${itemPositionText(before, index)} merged at ${shortCommit(commit)}`,
  }),
  item_conflicted: (before, { index, files, round }) => ({
    tone: "rework",
    words: `${itemPositionText(before, index)} conflicts: `,
    quote: `${conflictFilesText(files)} (round ${round})`,
  }),
  loop_joined: (_, { commit }) => ({ tone: "ok", words: `the merged items are joined at ${shortCommit(commit)}` }),
  spent_elsewhere: () => ({ tone: "plain", words: "parallel items used more of the budget", ...IN_HEADINGS }),
  cast_warned: (_, event) => ({ tone: "rework", words: budgetWarningText(event) }),
  cast_waiting: (_, { socket, question }) => ({
    tone: "wait",
    socket,
    words: "waits for a person",
    storyLines: (width, detail) => [
      line(toned("wait", "‖ waiting for a person")),
      ...(question === undefined ? [] : textLines(question, question.length, width, detail)),
    ],
  }),
  person_answered: (_, { text }) => ({
    tone: "wait",
    words: "the person answered: ",
    quote: text,
    storyLines: (width, detail) => [line(toned("wait", "the person answered")), ...quoteLines(text, width, detail)],
  }),
  person_finished: (_, { socket }) => ({ tone: "wait", socket, words: "approved by the person" }),
  person_judged: (_, { satisfied, text }) => {
    const words = `the person said ${satisfied ? "yes" : "no"}`;
    return {
      tone: satisfied ? "ok" : "rework",
      words: text.trim() === "" ? words : `${words}: `,
      quote: text,
      // The handoff that follows has the text.
      storyLines: () => [line(toned("wait", words))],
    };
  },
  limits_raised: (_, event) => ({ tone: "plain", words: limitsRaisedText(event) }),
  cast_resumed: (_, event) => ({
    tone: "accent",
    words: `resumed by ${nameText(event.by)}`,
    quote: changedSinceText(event),
    ...IN_HEADINGS,
  }),
  cast_ended: (_, { outcome, reason: quote }) => {
    const { text, tone = "plain" } = statusSymbol(outcome);
    return { tone, words: `${text} ${statusText(outcome)}${quote.trim() === "" ? "" : ": "}`, quote };
  },
};

/** A failure, whose text may have many lines. */
function longReport(words: string, quote: string): EventReport {
  return { tone: "bad", words, quote, storyLines: (width) => longNoteLines("bad", words, quote, width) };
}

function reportHandoff(before: CastState, event: EventOf<"handoff_accepted">): EventReport {
  const { socket, handoff } = event;
  const { workItems, satisfied, context, state } = handoff;
  const set = Object.keys(isJsonObject(state) ? state : {}).slice(0, 3);
  const fields = [
    ...(Array.isArray(workItems) ? [countedText(workItems.length, "work item")] : []),
    ...(typeof satisfied === "boolean" ? [satisfied ? "satisfied" : "not satisfied"] : []),
    ...set.map((key) => `state.${nameText(key)}`),
  ].join(", ");
  const quote = typeof context === "string" ? context.trim() : "";
  const gap = fields !== "" && quote !== "" ? ": " : "";
  const materia = materiaOf(before.graph, socketOf(before.graph, socket));
  const isCommandGate = materia.type === "utility" && isGate(materia);
  return {
    tone: satisfied === true ? "ok" : satisfied === false ? "rework" : "plain",
    socket,
    words: `handed over ${`${fields}${gap}` || (quote === "" ? "its result" : "")}`,
    quote,
    storyLines: (width, detail) =>
      isCommandGate ? commandResultLines(event, width) : handoffLines(event, width, detail),
  };
}

function reportNextItem({ phase, pass }: CastState, { index, size }: EventOf<"cursor_advanced">): EventReport {
  const isGivenUp = phase.kind === "leaving" && phase.gaveUp;
  const next: EventReport = {
    tone: "plain",
    words: `on to item ${Math.min(index + 1, size)} of ${size}: `,
    quote: titleText(pass?.items[index]?.title ?? "", 200),
  };
  if (isGivenUp) return index < size ? next : { ...next, ...IN_HEADINGS };
  return {
    tone: "ok",
    words: `item ${index} of ${size} done`,
    storyLines: (width) => (index < size ? noteLines(next.tone, next.words, next.quote ?? "", width) : []),
  };
}

/** The next visit shows where a way leads. One-line views name only the ways that send work back. */
function reportWay(before: CastState, event: EventOf<"edge_taken">): EventReport {
  const { from, to, when, via, index, traversal, then } = event;
  const { graph } = before;
  const edge = via === "edge" ? socketOf(graph, from).edges[index ?? -1] : undefined;
  const count = edge?.maxTraversals === undefined ? "" : `, ${countOfLimitText(traversal, edge.maxTraversals)}`;
  const isSentBack = when === "not_satisfied";
  const how = when === null ? "otherwise" : then && isSentBack ? "used up" : conditionText(when);
  return {
    tone: isSentBack ? "rework" : "plain",
    words: `${how} → ${destinationText(graph, to)}${isSentBack && !then ? count : ""}`,
    storyLines: (width) => routeLines(before, event, width),
  };
}
