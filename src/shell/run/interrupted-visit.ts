import type { OutsideChanges } from "../../core/model/checkpoint.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { phaseBeforeEnd, type CastState, type Visit } from "../../core/cast/state/state.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import type { Usage } from "../../core/cast/state/usage.ts";
import type { CastStore } from "../store/cast-store.ts";
import { filesChangedSince } from "../system/folders.ts";
import { readTranscript, type TranscriptFacts } from "../agents/transcript.ts";
import type { Interruption } from "../context/run-context.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** The state of an interrupted visit. */
export interface InterruptedVisit {
  /** Set when its agent had a request: the visit continues from there. Otherwise it starts again. */
  readonly interruption?: Interruption;
  /** Usage that the journal has not counted. */
  readonly usage?: Usage;
}

/** The unfinished visit of a stopped cast, if any. */
export function visitInProgress({ phase }: Pick<CastState, "phase">): Visit | undefined {
  const stood = phaseBeforeEnd(phase);
  return stood.kind === "visiting" ? stood.visit : undefined;
}

/** [D2, D3, D4] Reads the transcript of the current visit: what its agent was asked, has answered, and has used. */
export async function readInterruptedVisit(
  store: CastStore,
  state: CastState,
  // The working folder, and what others changed there since the last checkpoint.
  { cwd, changes }: { readonly cwd: string; readonly changes: OutsideChanges | undefined },
): Promise<InterruptedVisit> {
  const visit = visitInProgress(state);
  if (!visit) return {};
  const at = { socket: visit.socket, visit: visit.number, name: TRANSCRIPT_FILE };
  const transcript = await store.readArtifact(state.castId, at);
  if (!transcript) return {};
  const conversation = readTranscript(Buffer.from(transcript.bytes).toString("utf8"));
  if (conversation.asked === 0) return {};
  const usage = uncountedUsage(conversation, visit);
  const reply = conversation.replies[await countJournaledReplies(store, state, visit)];
  // [Y6] Without checkpoints the modification times of files give an estimate.
  const changed = state.files
    ? (changes?.names ?? [])
    : filesChangedSince(cwd, transcript.changedAt, store.locationOf(state.castId));
  return {
    interruption: { note: interruptionNote(changed), ...withoutUndefined({ reply, model: conversation.model }) },
    ...(usage.input + usage.output + usage.cost > 0 ? { usage } : {}),
  };
}

/** Each of these events stands for one finished reply of the visit. */
async function countJournaledReplies(
  store: CastStore,
  { castId }: CastState,
  { socket, number }: Visit,
): Promise<number> {
  const isBegun = (events: readonly CastEvent[]): boolean =>
    events.some((event) => event.type === "visit_started" && event.socket === socket && event.visit === number);
  const { last } = await store.readEnds(castId, isBegun);
  return last.filter(
    (event) =>
      (event.type === "handoff_rejected" || event.type === "turn_answered") &&
      event.socket === socket &&
      event.visit === number,
  ).length;
}

function uncountedUsage({ usage }: TranscriptFacts, visit: Visit): Usage {
  return {
    input: Math.max(0, usage.input - visit.usage.input),
    output: Math.max(0, usage.output - visit.usage.output),
    cost: Math.max(0, usage.cost - visit.usage.cost),
  };
}

function interruptionNote(changed: readonly string[]): string {
  const files =
    changed.length === 0
      ? "No file has changed since then."
      : `Files that changed since then:\n${changed.map((name) => `- ${name}`).join("\n")}`;
  return `You were interrupted in the middle of this work. Look at what is already done before you go on, and finish it.\n\n${files}`;
}
