import { materiaOf, type GraphSocket } from "../compile/graph.ts";
import { fillFromState, workItemsText } from "../cast/prompt-text.ts";
import { reworkReasonsFor, displayedReasons } from "../cast/state/rework-reasons.ts";
import type { TurnReason, CastState, Visit } from "../cast/state/state.ts";
import { currentItem } from "../cast/state/current-item.ts";
import type { ReworkReason } from "../cast/state/parallel-run.ts";
import { assertNever } from "../model/issue.ts";
import { truncate } from "../model/text.ts";
import { handoffContractText } from "./handoff-contract.ts";

/** The prompt of an agent: stable text in `system`, text of one visit in `prompt`. */
export interface AgentPrompt {
  readonly system: string;
  readonly prompt: string;
}

/** [P6] Every part has a limit, and a cut is marked. */
const PART_LIMITS = {
  instructions: 40_000,
  filled: 80_000,
  request: 12_000,
  title: 500,
  item: 6_000,
  handed: 6_000,
  answer: 20_000,
} as const;

/** The turn that the prompt is for. */
export interface AgentPromptInput {
  readonly socket: GraphSocket;
  readonly visit: Visit;
  readonly ask: TurnReason;
  /** [Y10] The changes of the current item so far, for prompts that use them. */
  readonly changes?: string;
}

export function writeAgentPrompt(state: CastState, { socket, visit, ask, changes }: AgentPromptInput): AgentPrompt {
  return { system: systemText(state, socket, changes), prompt: promptText(state, socket, visit, ask) };
}

function systemText(state: CastState, socket: GraphSocket, changes: string | undefined): string {
  const materia = materiaOf(state.graph, socket);
  const instructions = materia.type === "agent" ? materia.prompt : "";
  const template = truncate(instructions, PART_LIMITS.instructions);
  const filled = truncate(fillFromState(state, template, changes), PART_LIMITS.filled);
  return join([
    filled.trim(),
    socket.interactive ? INTERACTIVE : "",
    section("How to answer", answerText(state, socket)),
  ]);
}

const INTERACTIVE =
  "A person reads your answers and may ask for changes. Write so that they can judge it. When they are content you are asked to hand over.";

function answerText(state: CastState, socket: GraphSocket): string {
  const contract = handoffContractText(state.graph, socket);
  return socket.interactive && contract !== "" ? `When you hand over: ${contract}` : contract;
}

function promptText(state: CastState, socket: GraphSocket, visit: Visit, ask: TurnReason): string {
  switch (ask.kind) {
    case "begin":
      // [P7] Stable parts come first: the request for the cast, notes for a loop, the item for a few turns, the rest for one.
      return join([
        section("Request", truncate(state.request, PART_LIMITS.request)),
        noteText(state),
        section("Current item", itemText(state)),
        previousHandoffText(state, visit),
        section("Do it again", reworkText(state, visit)),
        section("Changed by others since", outsideChangesText(state)),
      ]);
    case "repair":
      return join([
        `Your last answer cannot be used: ${ask.problems.join("; ")}.`,
        handoffContractText(state.graph, socket),
      ]);
    case "answer":
      return truncate(ask.text, PART_LIMITS.answer);
    case "finish":
      return join(["The person is content. Hand over now what was agreed.", handoffContractText(state.graph, socket)]);
    default:
      return assertNever(ask);
  }
}

/** [Y6] Changes that this cast did not make. */
function outsideChangesText({ files }: CastState): string {
  const names = files?.meanwhile ?? [];
  if (names.length === 0) return "";
  return `While the cast stood still, somebody changed these files:\n${names.map((name) => `- ${name}`).join("\n")}`;
}

function itemText(state: CastState): string {
  const item = currentItem(state);
  if (!item || !state.pass) return "";
  return join([
    `${state.pass.cursor + 1} of ${state.pass.items.length}: ${truncate(item.title, PART_LIMITS.title)}`,
    truncate(item.context, PART_LIMITS.item),
  ]);
}

/** [P9] Notes on every item of the list. */
function noteText({ pass }: CastState): string {
  return pass?.note ? section(`Notes of ${pass.note.materia} (${pass.note.socket}) on all items`, pass.note.text) : "";
}

/** [P2] The handoff of the previous socket; its list only if this loop does not walk that list. */
function previousHandoffText({ handed, pass }: CastState, { reworked }: Visit): string {
  if (!handed) return "";
  const list = handed.workItems && handed.workItems !== pass?.items ? workItemsText(handed.workItems) : "";
  // [P9, P10] Skip text that is already there as a rework reason or a note.
  const told = reworked || handed.text.trim() === pass?.note?.text;
  const body = join([told ? "" : truncate(handed.text, PART_LIMITS.handed), list]);
  return section(`Handed on by ${handed.materia} (${handed.socket}${itemLabel(handed.item)})`, body);
}

/** [R2, R3] Why this visit is repeated, newest reason first. */
function reworkText(state: CastState, visit: Visit): string {
  if (!visit.reworked) return "";
  const [newest, ...earlier] = displayedReasons(reworkReasonsFor(state, visit.socket));
  if (!newest) return "";
  const handed = state.handed?.text.trim() ?? "";
  const text = handed === "" ? newest.text : truncate(handed, PART_LIMITS.handed);
  return join([
    `The last result was not accepted. Reason, from ${reasonText(state, { ...newest, text })}`,
    ...earlier.map((reason) => `Earlier reason, from ${reasonText(state, reason)}`),
  ]);
}

/** [R2] Another item is named; the current one has its own part. */
function reasonText(state: CastState, { materia, socket, item, text }: ReworkReason): string {
  const about = item === (currentItem(state)?.title ?? null) ? null : item;
  return `${materia} (${socket}${itemLabel(about)}): ${text}`;
}

function itemLabel(item: string | null): string {
  return item === null ? "" : `, item "${truncate(item, PART_LIMITS.title)}"`;
}

function section(title: string, body: string): string {
  return isBlank(body) ? "" : `## ${title}\n\n${body}`;
}

function join(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) if (!isBlank(part)) text += text === "" ? part : `\n\n${part}`;
  return text;
}

function isBlank(text: string): boolean {
  return text === "" || text.trim() === "";
}
