import type { Effect } from "../../core/cast/next.ts";
import type { Checkpoint, MissingCheckpoint } from "../../core/model/checkpoint.ts";
import type { CastState, Visit } from "../../core/cast/state/state.ts";
import { socketOf } from "../../core/compile/graph.ts";
import { toolMayWrite } from "../../core/model/materia.ts";
import type { Ports, TurnProgress } from "../ports.ts";
import { isPauseSignal, type EffectContext } from "../context/run-context.ts";
import { openCheckpointSession, type CheckpointSession } from "../git/checkpoint-session.ts";
import type { CachedWorktree } from "../git/cached-worktree.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../store/cast-store.ts";

/** [Y13] Takes the checkpoint of a finished visit; undefined when it changed nothing. */
export async function checkpointVisit(
  { visit }: Extract<Effect, { kind: "checkpoint" }>,
  state: CastState,
  { checkpoints: files, holdsClaim: holds }: Ports,
): Promise<Checkpoint | MissingCheckpoint | undefined> {
  if (!files || !state.files) return undefined;
  // [Y2] Only the owner moves the ref. A process that lost its cast fails at its next write.
  if (!(await holds())) return undefined;
  const { base, last, visit: since } = state.files;
  const taken = await files.take({ last, since, title: checkpointTitle(state, visit) });
  if (!taken || "problem" in taken || state.item?.window.merging?.accepted !== true) return taken;
  // [V51] The first checkpoint holds the conflict marks.
  return (await files.isResolution?.(base, taken.commit)) ? { ...taken, resolves: true } : taken;
}

interface TurnCheckpoints {
  /** Never waits. */
  readonly onProgress: (progress: TurnProgress) => void;
  /** Waits for the last checkpoint. Returns a problem when the turn must not count because its files could not be stored. */
  readonly finish: () => Promise<string | undefined>;
}

export function checkpointsDuringTurn(visit: Visit, context: EffectContext): TurnCheckpoints | undefined {
  const take = checkpointTaker(visit, context);
  if (!take) return undefined;
  return context.options.isOnFleet ? checkpointBetweenTools(take, context) : checkpointAfterEachTool(take);
}

type TakeCheckpoint = (
  isWanted: () => boolean,
) => Promise<"reported" | "unchanged" | "unwanted" | { readonly problem: string }>;

function checkpointTaker(visit: Visit, { state, ports, report }: EffectContext): TakeCheckpoint | undefined {
  const { checkpoints: files, artifacts } = ports;
  const stands = state.files;
  if (!files || !stands) return undefined;
  const title = `${checkpointTitle(state, visit)}, unfinished`;
  let { last } = stands;
  return async (isWanted) => {
    if (!(await ports.holdsClaim())) return "unchanged";
    const taken = await files.take({ last, since: stands.visit, title });
    if (!isWanted()) return "unwanted";
    if (!taken || ("commit" in taken && taken.commit === last)) return "unchanged";
    if ("problem" in taken) return taken;
    last = taken.commit;
    // [B56] Mark the transcript at once: later messages do not belong to these files.
    artifacts.markTranscript?.(visit.socket, visit.number, last);
    report({ type: "checkpoint_taken", socket: visit.socket, visit: visit.number, files: taken });
    return "reported";
  };
}

function mayHaveWritten(progress: TurnProgress): boolean {
  return progress.kind === "tool_ended" && toolMayWrite(progress.name);
}

/** [Y5] An interrupted turn continues with the files that its tools wrote. Changes during a checkpoint go into the next one. */
function checkpointAfterEachTool(take: TakeCheckpoint): TurnCheckpoints {
  let isDue = false;
  let taking: Promise<void> | undefined;
  const takeAll = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      await take(() => true);
    }
  };
  return {
    onProgress: (progress) => {
      if (!mayHaveWritten(progress)) return;
      isDue = true;
      taking ??= takeAll().finally(() => {
        taking = undefined;
      });
    },
    finish: async () => {
      await taking;
      return undefined;
    },
  };
}

const MIN_CHECKPOINT_GAP_MS = 20_000;

/**
 * [B56] For another machine, files and conversation must belong to the same moment: take both while no tool runs, and drop
 * them when a tool starts before they are complete. Taken rarely, and once more at the end of the turn.
 */
function checkpointBetweenTools(
  take: TakeCheckpoint,
  { ports: { now, pause }, options: { signal } }: EffectContext,
): TurnCheckpoints {
  const over = new AbortController();
  const turn = { isDue: false, isQuiet: true, calls: 0, notBefore: 0 };
  let trying: Promise<void> | undefined;
  const tryAll = async (): Promise<void> => {
    while (turn.isDue && turn.isQuiet && !over.signal.aborted && !isPauseSignal(signal)) {
      // A clock that was set back must not keep checkpoints away.
      const early = Math.min(turn.notBefore - now().getTime(), MIN_CHECKPOINT_GAP_MS);
      if (early > 0) {
        await pause(early, over.signal);
        turn.notBefore = Math.min(turn.notBefore, now().getTime());
        continue;
      }
      const { calls } = turn;
      turn.isDue = false;
      const done = await take(() => turn.calls === calls && !isPauseSignal(signal));
      if (done === "unwanted") turn.isDue = true;
      if (done === "reported") turn.notBefore = now().getTime() + MIN_CHECKPOINT_GAP_MS;
    }
  };
  return {
    onProgress: (progress) => {
      turn.isDue ||= mayHaveWritten(progress);
      if (progress.kind === "tool_started") {
        turn.isQuiet = false;
        turn.calls += 1;
      }
      if (progress.kind !== "tools_over") return;
      turn.isQuiet = true;
      trying ??= tryAll().finally(() => {
        trying = undefined;
      });
    },
    finish: async () => {
      over.abort();
      await trying;
      // Work of an aborted tool, or of one whose result was lost, is repeated from the last checkpoint.
      const isWanted = turn.isDue && turn.isQuiet && !isPauseSignal(signal);
      const done = isWanted ? await take(() => true) : "unchanged";
      return typeof done === "object" ? `the files cannot be kept: ${done.problem}` : undefined;
    },
  };
}

function checkpointTitle({ graph }: CastState, { socket, number }: Visit): string {
  return `${socketOf(graph, socket).materia} (${socket}) visit ${number}`;
}

export function openCastCheckpoints(
  store: CastStore,
  owned: OwnedCast,
  { castId, cwd, checkpoints, ownWorktree }: Pick<CastFile, "castId" | "cwd" | "checkpoints" | "ownWorktree">,
  cachedWorktree?: CachedWorktree,
): CheckpointSession | undefined {
  if (checkpoints !== true) return undefined;
  const { scratch, checkpointPolicy: keeping } = owned;
  const place = {
    castId,
    cwd,
    scratch,
    hasBranch: ownWorktree !== undefined,
    store: store.location,
    now: () => new Date(),
    cachedWorktree,
  };
  if (!keeping) return openCheckpointSession(place);
  const files = openCheckpointSession({ ...place, maxBytes: keeping.maxBytes, requiresAllFiles: true });
  return {
    ...files,
    take: async (request) => {
      const taken = await files.take(request);
      keeping.onCheckpoint(taken && "problem" in taken ? taken.problem : undefined);
      return taken;
    },
  };
}
