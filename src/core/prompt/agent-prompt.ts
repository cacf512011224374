import { materiaOf, type GraphSocket } from "../compile/graph.ts";
import { fillFromState, workItemsText } from "../cast/prompt-text.ts";
import { refusalNeedsReason } from "../compile/socket-outputs.ts";
import { reworkReasonsFor, displayedReasons } from "../cast/state/rework-reasons.ts";
import { lastAnswerOf } from "../cast/state/reports.ts";
import type { TurnReason, CastState, Visit } from "../cast/state/state.ts";
import { currentItem } from "../cast/state/current-item.ts";
import type { ReworkReason } from "../cast/state/parallel-run.ts";
import { materiaMayWrite, parseVariables, toolMayWrite, toolsInScope, type AgentMateria } from "../model/materia.ts";
import { isWorkItem } from "../model/handoff.ts";
import { truncate } from "../model/text.ts";
import { handoffContractText } from "./handoff-contract.ts";
import { namedLinesIn, type NamedLines } from "./named-code.ts";
import {
  isAfterLoop,
  lastCommitsText,
  versionControlText,
  workSoFarParts,
  type RepositoryFacts,
  itemLabel,
  join,
  section,
} from "./work-so-far.ts";

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

export interface AgentPromptInput {
  readonly socket: GraphSocket;
  readonly visit: Visit;
  readonly ask: TurnReason;
  /** [Y10] The changes of the current item so far: empty if there are none, absent if they are not known. */
  readonly changes?: string | undefined;
  /** [I6] What others have changed since the conversation that it continues. */
  readonly changedSince?: string | undefined;
  readonly repository?: RepositoryFacts | undefined;
  /** [P17] The code that the item names. */
  readonly code?: string | undefined;
}

/** The facts that a prompt needs from outside. They cost calls of git, so nobody reads them unasked. */
export interface PromptNeeds {
  readonly changes: boolean;
  /** [Y16] Unchanged lines around each change. */
  readonly contextLines: number;
  readonly repository: boolean;
  readonly code: NamedLines;
}

const NO_NEEDS: PromptNeeds = { changes: false, repository: false, contextLines: 3, code: new Map() };

export function promptNeedsOf(state: CastState, { socket, visit, ask }: AgentPromptInput): PromptNeeds {
  const materia = materiaOf(state.graph, socket);
  if (ask.kind !== "begin" || materia.type !== "agent") return NO_NEEDS;
  // [P12] An agent that mends refused work sees it, also work of another one.
  const changes =
    (materia.prompt.includes("changes") && parseVariables(materia.prompt).some(({ kind }) => kind === "changes")) ||
    (materiaMayWrite(materia) && followsRefusal(state, visit));
  const repository = isAfterLoop(state) || plansWithTools(socket, materia);
  const code = toolsInScope(materia.tools).includes("read") ? namedLinesOf(state) : NO_NEEDS.code;
  return { changes, repository, code, contextLines: contextLinesFor(state, socket, materia) };
}

function followsRefusal(state: CastState, { socket }: Visit): boolean {
  return reworkReasonsFor(state, socket).length > 0;
}

/** [Y16] Ten are enough for most functions: a judge of one item then needs no file. Who only tells of it needs one. */
function contextLinesFor(state: CastState, socket: GraphSocket, materia: AgentMateria): number {
  if (refusalNeedsReason(state.graph, socket) && !isAfterLoop(state)) return 10;
  return materiaMayWrite(materia) ? 3 : 1;
}

/** [P17] What the current item names, or the list that was handed on. */
function namedLinesOf(state: CastState): NamedLines {
  const item = currentItem(state);
  const items = item ? [item] : (state.handed?.workItems ?? []);
  return namedLinesIn(items.map(({ context }) => context).join("\n"));
}

/** [P16] Planners name their items in the style of the history. */
function plansWithTools({ generator }: GraphSocket, { tools }: AgentMateria): boolean {
  return generator && tools !== "none";
}

export function writeAgentPrompt(state: CastState, input: AgentPromptInput): AgentPrompt {
  const materia = materiaOf(state.graph, input.socket);
  if (materia.type !== "agent") throw new Error(`${input.socket.id} holds no agent`);
  return { system: systemText(state, input.socket, materia), prompt: promptText(state, input, materia) };
}

function systemText(state: CastState, socket: GraphSocket, materia: AgentMateria): string {
  const template = truncate(materia.prompt, PART_LIMITS.instructions);
  const filled = truncate(fillFromState(state, template), PART_LIMITS.filled);
  return join([
    filled.trim(),
    // [P15] An edit and the test of it would otherwise race.
    toolsInScope(materia.tools).some(toolMayWrite) ? CALLS_AT_ONCE : "",
    socket.interactive ? INTERACTIVE : "",
    section("How to answer", answerText(state, socket)),
  ]);
}

const CALLS_AT_ONCE =
  "Tool calls of one reply may run at the same time: an edit and the test of it do not belong in one reply.";

const INTERACTIVE =
  "A person reads your answers and may ask for changes. Write so that they can judge it. When they are content you are asked to hand over.";

function answerText(state: CastState, socket: GraphSocket): string {
  const contract = handoffContractText(state.graph, socket);
  return socket.interactive && contract !== "" ? `When you hand over: ${contract}` : contract;
}

function promptText(state: CastState, input: AgentPromptInput, materia: AgentMateria): string {
  const { socket, ask } = input;
  switch (ask.kind) {
    case "begin":
      return join((input.visit.continues ? continuedMessageParts : firstMessageParts)(state, input, materia));
    case "repair":
      return join([
        `Your last answer cannot be used: ${ask.problems.join("; ")}.`,
        handoffContractText(state.graph, socket),
      ]);
    case "answer":
      return truncate(ask.text, PART_LIMITS.answer);
    case "finish":
      return join(["The person is content. Hand over now what was agreed.", handoffContractText(state.graph, socket)]);
  }
}

/** [P7] Stable parts come first: the request for the cast, notes for a loop, the item for a few turns, the rest for one. */
function firstMessageParts(
  state: CastState,
  { socket, visit, changes, repository, code = "" }: AgentPromptInput,
  materia: AgentMateria,
): readonly string[] {
  const asks = new Set(parseVariables(materia.prompt).map(({ kind }) => kind));
  // [P12] What was refused may be a plan: then there is nothing to mend yet.
  const isMending = followsRefusal(state, visit) && (visit.reworked ? changes !== undefined : Boolean(changes));
  return [
    section("Request", truncate(state.request, PART_LIMITS.request)),
    noteText(state),
    asks.has("versionControl") ? section("Version control", versionControlText(state)) : "",
    section("Current item", itemText(state)),
    ...workSoFarParts(state, visit, repository),
    plansWithTools(socket, materia) ? section("Last commits of the project", lastCommitsText(repository)) : "",
    previousHandoffText(state, visit),
    section("Code that is named above, as it is now", code),
    asks.has("changes") || isMending ? section("Changes so far", changesText(state, changes)) : "",
    ownAnswerText(state, socket, visit),
    section(isMergeOnly(state, visit) ? "Merge it" : "Do it again", reworkText(state, visit)),
    section("Changed by others since", outsideChangesText(state)),
  ];
}

/** [I6] The conversation has everything else: only what is new since its last reply. */
function continuedMessageParts(
  state: CastState,
  { socket, visit, changes, changedSince = "" }: AgentPromptInput,
): readonly string[] {
  return [
    visit.reworked
      ? section(isMergeOnly(state, visit) ? "Merge it" : "Do it again", reworkText(state, visit, 1))
      : askedAgainText(state, socket),
    previousHandoffText(state, visit),
    // [V52] After a conflict the conversation knows the work as it was before the merge.
    changes === undefined ? "" : section("Changes so far", changesText(state, changes)),
    // [P14] A report that only tells what is new would drop them.
    hasOpenPoints(state, socket) ? "Name again in your answer what is still open." : "",
    section("Changed by others since your last answer", changedSince),
    section("Changed by others since", outsideChangesText(state)),
  ];
}

function hasOpenPoints(state: CastState, { id }: GraphSocket): boolean {
  const item = currentItem(state)?.title ?? null;
  return state.reports.open.some((point) => point.socket === id && point.item === item);
}

/** [I6] Why an agent that was not sent back itself answers again. */
function askedAgainText(state: CastState, { id }: GraphSocket): string {
  const answer = lastAnswerOf(state, id);
  if (answer === undefined && state.item?.window.merging?.accepted)
    return "This work was accepted. Then it was merged with the work of other items, and conflicts were settled. Answer for the work as it is now.";
  const points = answer?.isRefusal ? " Check first what you refused then." : "";
  return `The work was done again since your last answer.${points} Answer for the work as it is now.`;
}

/** [P11] The diff, and what it is compared with. */
function changesText({ pass, item }: CastState, changes: string | undefined): string {
  if (changes === undefined) return UNKNOWN_CHANGES;
  const since = pass === null ? "Since the cast began:" : "Since the item began:";
  const isConflict = (item?.window.tree ?? null) !== null;
  const title = isConflict ? "Compared with the merged work of the other items:" : since;
  return `${title}\n\n${changes || "(no file has been changed)"}`;
}

const UNKNOWN_CHANGES = "Not known: the files of this cast are not kept. Look at them yourself.";

/** [P12] An agent that answers again sees its last answer: a report, or what it refused. */
function ownAnswerText(state: CastState, { id, generator }: GraphSocket, { reworked }: Visit): string {
  const answer = lastAnswerOf(state, id);
  if (answer === undefined) return "";
  if (answer.isRefusal) {
    const points = answer.text === "" ? "" : `Check these points first:\n\n${answer.text}`;
    return section("You refused this before", points);
  }
  if (!reworked) return "";
  return join([section("Your last report", answer.text), generator ? section("Your last list", listText(state)) : ""]);
}

/** The list that the generator made last, unless it was handed back with the reason. */
function listText({ data, handed }: CastState): string {
  const items = data["workItems"];
  if (handed?.workItems || !Array.isArray(items) || !items.every(isWorkItem)) return "";
  return workItemsText(items);
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
function noteText({ pass, lastPass }: CastState): string {
  const note = (pass ?? lastPass)?.note;
  return note ? section(`Notes of ${note.materia} (${note.socket}) on all items`, note.text) : "";
}

/** [P2] The handoff of the previous socket; its list only if this loop does not walk that list. */
function previousHandoffText({ handed, pass, lastPass }: CastState, { reworked }: Visit): string {
  if (!handed) return "";
  const shown = pass ?? lastPass;
  const list = handed.workItems && handed.workItems !== shown?.items ? workItemsText(handed.workItems) : "";
  // [P9, P10] Skip text that is already there as a rework reason or a note.
  const isShownAlready = reworked || handed.text.trim() === shown?.note?.text;
  const body = join([isShownAlready ? "" : truncate(handed.text, PART_LIMITS.handed), list]);
  return section(`Handed on by ${handed.materia} (${handed.socket}${itemLabel(handed.item)})`, body);
}

/** [V36] The first visit after a conflict: the item was accepted, and only merging is left. */
function isMergeOnly({ item }: CastState, { socket, number }: Visit): boolean {
  return item !== null && item.window.tree !== null && socket === item.window.door && number === 1;
}

/** [R2, R3] Why this visit is repeated, newest reason first. */
function reworkText(state: CastState, visit: Visit, most = Infinity): string {
  if (!visit.reworked) return "";
  const [newest, ...earlier] = displayedReasons(reworkReasonsFor(state, visit.socket)).slice(0, most);
  if (!newest) return "";
  const handed = state.handed?.text.trim() ?? "";
  const text = handed === "" ? newest.text : truncate(handed, PART_LIMITS.handed);
  if (isMergeOnly(state, visit)) return text;
  return join([
    `The last result was not accepted. Reason, from ${reasonText(state, { ...newest, text })}`,
    ...earlier.map((reason) => `Earlier reason, from ${reasonText(state, reason)}`),
  ]);
}

/** [R2] Another item is named; the current one has its own part. */
function reasonText(state: CastState, reason: ReworkReason): string {
  const { materia, socket, item, text } = reason;
  if (state.item !== null && state.item.window.tree !== null && text === state.item.window.reasons[0]?.text)
    return `the merge: ${text}`;
  const about = item === (currentItem(state)?.title ?? null) ? null : item;
  return `${materia} (${socket}${itemLabel(about)}): ${text}`;
}
