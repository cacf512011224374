import { truncateSync } from "node:fs";
import type { CastEvent, EventBody } from "../../core/cast/event.ts";
import type { CastState } from "../../core/cast/state.ts";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Issue, Result } from "../../core/model/issue.ts";
import { fileArtifacts } from "../files/artifacts.ts";
import { journalFile, loadCast } from "../files/cast-store.ts";
import type { CastFolder, LoadedCast } from "../files/cast-store.ts";
import { openJournal } from "../files/journal.ts";
import type { Durability } from "../files/journal.ts";
import { claim } from "../files/ownership.ts";
import type { Owner } from "../files/process-owner.ts";
import { problemText } from "../files/problem.ts";
import { redactor } from "../files/secrets.ts";
import type { AgentHost, TurnProgress } from "../ports.ts";
import { runCast } from "../run/run-cast.ts";
import type { RunEnd } from "../run/run-cast.ts";
import { runUtility } from "../run/utility.ts";
import { onAbortRequest } from "./abort-request.ts";

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
  readonly interruption?: string;
}

/** [T-f] Claims the cast, runs it to its end or its next pause, and lets go of it whatever happens. */
export async function drive(folder: CastFolder, take: () => Result<Hold>, driving: Driving): Promise<Result<RunEnd>> {
  const mine = claim(folder.runDir);
  if (mine.kind === "theirs") return fail(ownedIssue(folder.castId, mine.owner));
  const controller = new AbortController();
  const stopListening = onAbortRequest(folder.runDir, () => controller.abort());
  try {
    const hold = take();
    const signal = AbortSignal.any([driving.signal, controller.signal]);
    return hold.ok ? ok(await run(folder, hold.value, { ...driving, signal })) : hold;
  } finally {
    stopListening();
    mine.release();
  }
}

export function ownedIssue(castId: string, { pid, host }: Owner): Issue {
  return error("cast_is_owned", castId, `process ${pid} on ${host} drives this cast`, `stop it with "abort ${castId}", or wait for it`);
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

async function run(folder: CastFolder, hold: Hold, driving: Driving): Promise<RunEnd> {
  const { cwd, host, model, signal, onEvents, onProgress } = driving;
  const redact = redactor(driving.env);
  let journal: ReturnType<typeof openJournal>;
  try {
    journal = openJournal(journalFile(folder.runDir), { durability: driving.durability, redact });
  } catch (thrown) {
    return { kind: "broken", state: hold.state, problem: `the journal cannot be opened: ${problemText(thrown)}` };
  }
  try {
    const ports = { agents: host, runUtility, journal, artifacts: fileArtifacts(folder.runDir, redact), now: () => new Date() };
    return await runCast(hold.state, ports, {
      cwd,
      runDir: folder.runDir,
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
