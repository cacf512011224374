import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import * as v from "valibot";
import { startedEvent } from "../../core/cast/next.ts";
import { phaseBeforeEnd, type Visit } from "../../core/cast/state/state.ts";
import { totalsOf } from "../../core/cast/state/usage.ts";
import { castBranch, type SocketId } from "../../core/model/ids.ts";
import { parseJson, withoutUndefined } from "../../core/model/json.ts";
import { noteCast } from "../config/cast-index.ts";
import { readSandboxes } from "../config/config.ts";
import { openSharedLimits } from "../config/shared-limits.ts";
import { ensureUserKey } from "../config/user-key.ts";
import type { WorktreeContext } from "../git/worktrees/acquire-worktree.ts";
import { createGitWorktrees } from "../git/worktrees/git-worktrees.ts";
import { prepareOwnWorktree } from "../git/worktrees/own-worktree.ts";
import { createItemRunner, type RunOwnedCast } from "../items/item-runner.ts";
import type { ItemRunner, ItemsFailure } from "../item-ports.ts";
import type { Ports, SharedLimits, TranscriptPlace, UtilityRequest } from "../ports.ts";
import { ProcessIdentity, identifyProcess, isAlive } from "../process/process-identity.ts";
import {
  endProcesses,
  endProcessGroup,
  processesWithVariable,
  deriveVisitSecret,
  VISIT_VARIABLE,
} from "../process/processes.ts";
import {
  sleepUnlessAborted,
  writeOptionsFor,
  type ParentCast,
  type RunContext,
  type RunOptions,
  type RunOutcome,
} from "../context/run-context.ts";
import { readRepositoryFacts } from "../git/refs.ts";
import type { followJournal } from "./follow-journal.ts";
import { readInterruptedVisit, visitInProgress } from "../run/continue-conversation.ts";
import { runCast } from "../run/run-cast.ts";
import { runSetupCommand, runUtility } from "../run/run-utility.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import type { CastFile } from "../store/cast-file.ts";
import { readArtifactText, type CurrentCast, type OwnedCast } from "../store/cast-store.ts";
import { MAX_FILE_BYTES, readRegularFileText } from "../system/files.ts";
import { ownWorktreeFolder, TRANSCRIPT_FILE, worktreePool } from "../store/layout.ts";

/** Shorter than the timeout after which other machines evict an owner. */
const HEARTBEAT_MS = 30_000;

/**
 * [J22] Runs an owned cast to its end or its next pause: a new one, a fork, a stopped one, an item. The cast stays owned.
 * `firstEvents` are written before it continues, behind `cast_started` when it has none yet.
 */
export const runOwnedCast: RunOwnedCast = async (owned, cast, given, firstEvents) => {
  const { file, state } = cast;
  const branch = file.ownWorktree ? { branch: castBranch(file.castId) } : {};
  const context = await withOwnWorktree(cast, given);
  if ("problem" in context) {
    // The journal says why: nobody may be watching. A resume tries again.
    const files = file.checkpoints && file.ownWorktree ? { commit: file.ownWorktree.base } : undefined;
    const begun = state.phase.kind === "unstarted" ? [{ ...startedEvent(state, files), ...branch }] : [];
    const end = { type: "cast_ended", outcome: "failed", reason: context.problem, totals: totalsOf(state) } as const;
    return runWithPorts(owned, cast, given, { firstEvents: [...begun, ...firstEvents({}), end] });
  }
  const { store, fleetHooks, cwd = file.cwd } = context;
  const checkpoints = openCastCheckpoints(store, owned, { ...file, cwd }, context.cachedWorktree);
  const worker = withoutUndefined({ worker: fleetHooks?.workerId });
  const followers = await followForReceivers(context, { store, file, lastSeq: state.seq });
  const paths = { cwd: resolve(given.cwd ?? file.cwd), root: resolve(store.location) };
  // [YI1] Items and casts of a fleet are in no inbox of this machine.
  const note = (): void => {
    if (context.env && !file.window && !fleetHooks) noteCast(context.env, file.castId, paths);
  };
  note();
  try {
    if (state.phase.kind === "unstarted") {
      // [J5] Also for a cast whose process was killed before its first event.
      const started = { ...startedEvent(state, await checkpoints?.takeFirst()), ...branch, ...worker };
      return await runWithPorts(owned, cast, context, { checkpoints, firstEvents: [started, ...firstEvents({})] });
    }
    const changes = (state.files && (await checkpoints?.takeOutsideChanges(state.files.last))) ?? undefined;
    const { interruption, usage } = await readInterruptedVisit(store, state, { cwd, changes });
    const found = withoutUndefined({ usage, files: changes, ...worker });
    return await runWithPorts(owned, cast, context, { checkpoints, interruption, firstEvents: firstEvents(found) });
  } finally {
    checkpoints?.close();
    note();
    await Promise.all(followers.map((each) => each.close()));
  }
};

/** [TM5, YN4] Loaded only for users who asked for it. Items are no news. */
async function followForReceivers({ telemetry, notify = [] }: RunContext, cast: Parameters<typeof followJournal>[1]) {
  const targets = cast.file.window ? [] : notify;
  if (!telemetry && targets.length === 0) return [];
  const { followJournal: follow } = await import("./follow-journal.ts");
  return [
    ...(telemetry ? [(await import("./telemetry.ts")).createSpanReceiver(telemetry)] : []),
    ...(targets.length === 0 ? [] : targets.map((await import("./notices.ts")).noticeReceiver)),
  ].map((receiver) => follow(receiver, cast));
}

/** [YT1] Agents and programs of a cast with its own working tree work there. Items have other trees. */
async function withOwnWorktree(
  { file, state }: Pick<CurrentCast, "file" | "state">,
  context: RunContext,
): Promise<RunContext | ItemsFailure> {
  if (!file.ownWorktree || file.window || context.fleetHooks) return context;
  const { castId, ownWorktree } = file;
  const hasWorked = state.done.visits > 0 || phaseBeforeEnd(state.phase).kind === "visiting";
  const tree = await prepareOwnWorktree(worktreeContext(file, context, context.cwd ?? file.cwd), {
    castId,
    ...ownWorktree,
    folder: ownWorktreeFolder(context.store.location, castId),
    progress: state.phase.kind === "unstarted" ? "not begun" : { checkpoint: state.files?.last, hasWorked },
  });
  return tree.kind === "broken" ? tree : { ...context, cwd: tree.cwd, cachedWorktree: tree.cached };
}

/** Runs the loop with the ports of this machine, sends heartbeats and listens for requests to abort. */
export async function runWithPorts(
  owned: OwnedCast,
  { file, state }: Parameters<RunOwnedCast>[1],
  context: RunContext,
  { checkpoints, ...first }: Pick<RunOptions, "firstEvents" | "interruption"> & Pick<Ports, "checkpoints"> = {},
): Promise<RunOutcome> {
  const { cwd = file.cwd, model = file.model ?? undefined, fleetHooks } = context;
  const { leavesSleep, onSteps, onProgress, askPerson } = context;
  const abort = new AbortController();
  const release = new AbortController();
  const stopListening = owned.onAbortRequest(() => abort.abort());
  const stopReleasing = owned.onReleaseRequest?.(() => release.abort());
  const heartbeat = setInterval(() => void owned.heartbeat(), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    const visit = visitInProgress(state);
    const secretOf = visitSecrets(owned, context.env ?? {});
    if (visit) await endOrphanedPrograms(owned, visit, secretOf(visit.socket, visit.number));
    const ports: Ports = {
      agents: context.host,
      // [D12] Identifies the running program, so that the next owner can end it after a kill.
      runUtility: (request: UtilityRequest) => {
        const onStarted = (pid: number) => void owned.writeNote("program", JSON.stringify(identifyProcess(pid)));
        return runUtility({ ...request, onStarted });
      },
      journal: owned.journal,
      artifacts: owned.artifacts,
      readTranscript: async (place) => readTranscriptOf(owned, context.store, place),
      checkpoints,
      items: createItems({ owned, file, cwd }, context),
      admit: context.admit ?? fleetHooks?.admit,
      limits: limitsFor(context),
      holdsClaim: owned.holdsClaim,
      isSuperseded: owned.isSuperseded,
      redact: writeOptionsFor(context).redact,
      now: () => new Date(),
      pause: sleepUnlessAborted,
      ...context.clock,
    };
    return await runCast(state, ports, {
      ...first,
      cwd,
      model,
      leavesSleep,
      onSteps,
      onProgress,
      askPerson,
      secretOf,
      isOnFleet: fleetHooks !== undefined,
      sandboxes: readSandboxes(context.env ?? process.env),
      readRepository: (since) => readRepositoryFacts(cwd, since),
      released: context.released ? AbortSignal.any([context.released, release.signal]) : release.signal,
      signal: AbortSignal.any([context.signal, abort.signal]),
    });
  } finally {
    clearInterval(heartbeat);
    stopListening();
    stopReleasing?.();
  }
}

/** [Z17] A rehearsal meets only the limits that its script has. */
function limitsFor({ limits, host, env, store }: RunContext): SharedLimits | undefined {
  if (host.rehearsalUsage) return undefined;
  return limits ?? (env && openSharedLimits(env, store.location, host.keyDigest));
}

/** [I5] Files of this cast are on the disk of its owner; those of another cast may be in the store only. */
async function readTranscriptOf(
  { castId, artifacts }: OwnedCast,
  store: RunContext["store"],
  { castId: other, socket, visit }: TranscriptPlace,
): Promise<string | undefined> {
  try {
    if (other === castId)
      return readRegularFileText(artifacts.pathOf(socket, visit, TRANSCRIPT_FILE), MAX_FILE_BYTES.journal);
    return await readArtifactText(store, other, { socket, visit, name: TRANSCRIPT_FILE });
  } catch {
    return undefined;
  }
}

/** [V6] Runs the items of a cast with a parallel loop; undefined for every other cast. */
function createItems({ owned, file, cwd }: ParentCast, context: RunContext): ItemRunner | undefined {
  const isParallel = Object.values(file.graph.loops).some(({ parallel }) => parallel !== undefined);
  if (!isParallel || file.window !== undefined) return undefined;
  if (context.fleetHooks) return context.fleetHooks.items?.({ owned, file, cwd });
  const trees = createGitWorktrees({
    ...worktreeContext(file, context, cwd),
    castId: file.castId,
    artifacts: context.store.location,
    worktreesFolder: owned.worktreesFolder,
  });
  return createItemRunner({ trees, file, context, runOwnedCast });
}

function worktreeContext(file: CastFile, { store, signal }: RunContext, cwd: string): WorktreeContext {
  return {
    cwd,
    pool: worktreePool(store.location),
    worktree: file.worktree ?? {},
    runSetup: (command, at) => runSetupCommand({ setting: "worktree.setup", command, cwd: at, signal }),
  };
}

/** [D24] Without a key of the user, orphaned programs are found by their note only. */
function visitSecrets({ artifacts }: OwnedCast, env: NonNullable<RunContext["env"]>) {
  const key = ensureUserKey(env) ?? randomUUID();
  return (socket: SocketId, visit: number): string =>
    deriveVisitSecret(key, { runDir: artifacts.folder, socket, visit });
}

const GRACE_MS = 1000;

/**
 * [D12, D24] Ends what a killed owner left running of a visit, and nothing else: the program in the note, identified by its
 * start time, and processes with the visit's secret. An open file proves nothing: any process may have it open.
 */
async function endOrphanedPrograms(
  { artifacts, readNote }: OwnedCast,
  { socket, number }: Visit,
  secret: string,
): Promise<void> {
  const program = v.safeParse(ProcessIdentity, parseJson((await readNote("program")) ?? ""));
  const transcript = artifacts.pathOf(socket, number, TRANSCRIPT_FILE);
  const marks = [`${VISIT_VARIABLE}=${secret}`, `PI_SESSION_FILE=${transcript}`];
  await Promise.all([
    program.success && isAlive(program.output) && endProcessGroup(program.output.pid, GRACE_MS),
    endProcesses(() => processesWithVariable(marks), GRACE_MS),
  ]);
}
