import { randomUUID } from "node:crypto";
import { truncateSync } from "node:fs";
import type { SocketId } from "../../core/model/ids.ts";
import { userKey } from "../config/own-casts.ts";
import { visitSecret } from "../process/visit-secret.ts";
import type { CastEvent, EventBody } from "../../core/cast/event.ts";
import type { CastState } from "../../core/cast/state.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { fileArtifacts } from "../store/artifacts.ts";
import { journalFile, loadCast } from "../store/cast-store.ts";
import type { CastFolder, LoadedCast } from "../store/cast-store.ts";
import { openJournal } from "../store/journal.ts";
import type { Durability } from "../store/journal.ts";
import { SILENT_MS, claim } from "../store/ownership.ts";
import type { Claim } from "../store/ownership.ts";
import { isOfThisHost } from "../process/process-owner.ts";
import { problemText } from "../system/problem.ts";
import { redactor } from "../secrets/redact.ts";
import type { AgentHost, Journal, TurnProgress, UtilityRequest } from "../ports.ts";
import { endLeftovers, rememberProgram } from "../run/leftovers.ts";
import type { Interruption } from "../run/performing.ts";
import { pause } from "../run/pause.ts";
import { runCast } from "../run/run-cast.ts";
import type { RunEnd } from "../run/run-cast.ts";
import { runUtility } from "../run/utility/run-utility.ts";
import { onAbortRequest } from "./abort-request.ts";
import { visitFolderOf, visitInFlight } from "./interruption.ts";

/** How a cast is driven in this process, whoever started it. */
export interface Driving {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: AgentHost;
  readonly model?: string;
  readonly durability: Durability;
  readonly signal: AbortSignal;
  readonly onEvents?: (events: readonly CastEvent[], state: CastState) => void;
  readonly onProgress?: (progress: TurnProgress, state: CastState) => void;
}

/** A cast that this process owns. What it is to run from is settled only now, when nobody else can change it. */
export interface Hold {
  readonly state: CastState;
  /** What happened to it before the loop goes on. */
  readonly first: readonly EventBody[];
  readonly interruption?: Interruption;
}

/** [J22] Claims the cast, runs it to its end or its next pause, and lets go of it whatever happens. */
export async function drive(folder: CastFolder, take: () => Result<Hold>, driving: Driving): Promise<Result<RunEnd>> {
  const mine = claim(folder.runDir);
  if (mine.kind !== "mine") return fail(claimIssue(folder.castId, mine));
  const controller = new AbortController();
  const stopListening = onAbortRequest(folder.runDir, () => controller.abort());
  try {
    const hold = take();
    if (!hold.ok) return hold;
    const visit = visitInFlight(hold.value.state);
    const secretOf = secretsOf(folder.runDir, driving.env);
    if (visit) {
      const traces = { secret: secretOf(visit.socket, visit.number), folder: visitFolderOf(folder.runDir, visit) };
      await endLeftovers(folder.runDir, traces);
    }
    const signal = AbortSignal.any([driving.signal, controller.signal]);
    return ok(await run(folder, hold.value, { ...driving, signal, secretOf, holds: mine.holds }));
  } finally {
    stopListening();
    mine.release();
  }
}

type SecretOf = (socket: SocketId, visit: number) => string;

/** [D24] Without a key of the user nothing is found by a secret; what is written down still is. */
function secretsOf(runDir: string, env: Driving["env"]): SecretOf {
  const key = userKey(env) ?? randomUUID();
  return (socket, visit) => visitSecret(key, { runDir, socket, visit });
}

/** [J22, D16] Why a cast could not be had. */
export function claimIssue(castId: string, claim: Exclude<Claim, { kind: "mine" }>): Issue {
  if (claim.kind === "failed") return error("cannot_write", castId, claim.problem);
  const { pid, host } = claim.owner;
  const remote = isOfThisHost(claim.owner)
    ? ""
    : `; it is out of sight from here, and counts as gone ${SILENT_MS / 60_000} minutes after its last sign of life`;
  return error(
    "cast_is_owned",
    castId,
    `process ${pid} on ${host} drives this cast${remote}`,
    `stop it with "abort ${castId}", or wait for it`,
  );
}

/** The cast as it stands, read by its new owner: what was read before may be old. */
export function takeUp(root: string, castId: string): Result<LoadedCast> {
  const cast = loadCast(root, castId);
  if (!cast.ok) return cast;
  const { journal, runDir } = cast.value;
  // A line that was cut off in the middle of a write never counted; appending behind it would damage the next one.
  if (journal.tornBytes > 0) truncateSync(journalFile(runDir), journal.soundBytes);
  return cast;
}

async function run(
  folder: CastFolder,
  hold: Hold,
  driving: Driving & { readonly holds: () => boolean; readonly secretOf: SecretOf },
): Promise<RunEnd> {
  const { cwd, host, model, signal, onEvents, onProgress } = driving;
  const redact = redactor(driving.env);
  let journal: ReturnType<typeof openJournal>;
  try {
    journal = openJournal(journalFile(folder.runDir), { durability: driving.durability, redact });
  } catch (thrown) {
    return { kind: "broken", state: hold.state, problem: `the journal cannot be opened: ${problemText(thrown)}` };
  }
  try {
    const ports = {
      agents: host,
      runUtility: (request: UtilityRequest) =>
        runUtility({ ...request, onStarted: (pid) => rememberProgram(folder.runDir, pid) }),
      journal: guarded(journal, driving.holds),
      artifacts: fileArtifacts(folder.runDir, redact),
      redact,
      now: () => new Date(),
      pause,
    };
    return await runCast(hold.state, ports, {
      cwd,
      runDir: folder.runDir,
      secretOf: driving.secretOf,
      first: hold.first,
      signal,
      ...(hold.interruption === undefined ? {} : { interruption: hold.interruption }),
      ...(model === undefined ? {} : { model }),
      ...(onEvents ? { onEvents } : {}),
      ...(onProgress ? { onProgress } : {}),
    });
  } finally {
    journal.close();
  }
}

/** [D16] A process that slept while another took its cast must not write into it. */
function guarded(journal: Journal, holds: () => boolean): Journal {
  return {
    append: async (events) => (holds() ? journal.append(events) : "another process has taken this cast over meanwhile"),
  };
}
