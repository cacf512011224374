import { quoteWord } from "../../command/split-words.ts";
import { assertNever } from "../../model/issue.ts";
import { sanitizeForTerminal, countedText } from "../../model/text.ts";
import { ageText } from "../numbers.ts";
import { line, toned, type Line } from "../line.ts";

/** The status of a worker. */
export interface WorkerStatus {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** A stopped worker stays in the list for a while. */
  readonly state: "up" | "draining" | "gone";
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly casts: readonly string[];
  /** [Z16] Why it left the last queued cast that it could not begin; null if there is none. */
  readonly leaves: string | null;
  /** Time since its last heartbeat, by the clock of the database. */
  readonly silentMs: number;
}

/** [B29] Why a cast waits for a worker. */
export type WaitReason =
  /** No live worker has its model or tools. */
  | { readonly kind: "blocked"; readonly why: string }
  | { readonly kind: "limit"; readonly limits: readonly BlockingLimit[] }
  | { readonly kind: "nobody_up" }
  | { readonly kind: "busy" }
  | { readonly kind: "soon" };

export interface BlockingLimit {
  readonly kind: "all" | "project" | "provider";
  readonly name: string;
  readonly most: number;
}

export interface QueuedCast {
  readonly castId: string;
  readonly request: string;
  readonly loadout: string;
  readonly project: string;
  readonly person: string;
  readonly queue: string;
  /** Its position among the waiting casts of its project in this queue. */
  readonly place: number;
  readonly waitsMs: number;
  readonly why: WaitReason;
}

/** [B18, B29] The workers of a fleet, their casts, and the queue. */
export interface FleetStatus {
  readonly workers: readonly WorkerStatus[];
  /** The number of waiting casts, and the first of them. */
  readonly queued: number;
  readonly queue: readonly QueuedCast[];
}

/** [B29] Why a cast waits; reasons that a person can remove come first. */
export function waitReasonOf(
  {
    blocked,
    held,
    queue,
  }: { readonly blocked: string | null; readonly held: readonly BlockingLimit[]; readonly queue: string },
  workers: readonly WorkerStatus[],
): WaitReason {
  if (blocked !== null) return { kind: "blocked", why: blocked };
  if (held.length > 0) return { kind: "limit", limits: held };
  const serving = workers.filter(({ state, queues }) => state === "up" && queues.includes(queue));
  if (serving.length === 0) return { kind: "nobody_up" };
  return { kind: serving.every(({ casts, concurrency }) => casts.length >= concurrency) ? "busy" : "soon" };
}

/** Whether it waits until a person acts. */
export function needsPerson({ kind }: WaitReason): boolean {
  return kind === "blocked" || kind === "nobody_up";
}

export function waitReasonText(why: WaitReason, queue: string): string {
  switch (why.kind) {
    case "blocked":
      return `no worker could begin it: ${sanitizeForTerminal(why.why)}`;
    case "limit":
      return `held back by a limit: ${why.limits.map(blockingLimitText).join(", ")}`;
    case "nobody_up":
      return `no worker serves the queue ${sanitizeForTerminal(queue)}`;
    case "busy":
      return "every worker is busy";
    case "soon":
      return "about to begin";
    default:
      return assertNever(why);
  }
}

/** [B71] How many casts wait for one reason. */
export interface WaitGroup {
  readonly casts: number;
  readonly queue: string;
  readonly why: WaitReason;
}

/** [B71] The waiting casts by reason, without those that are about to start. */
export function groupByWaitReason(queue: readonly Pick<QueuedCast, "queue" | "why">[]): readonly WaitGroup[] {
  const waiting = queue.filter(({ why }) => why.kind !== "soon");
  const groups = Map.groupBy(waiting, (cast) => waitReasonText(cast.why, cast.queue));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ casts: 1 + others.length, queue: first.queue, why: first.why }] : [],
  );
}

export function waitGroupText({ casts, queue, why }: WaitGroup): string {
  return `${countedText(casts, "cast")} waiting: ${waitReasonText(why, queue)}`;
}

/** [B72] Why one cast waits, with a command that helps. */
export function waitLine({ why, queue }: Pick<QueuedCast, "queue" | "why">, fleet: string): Line {
  const command = waitRemedy(why, { fleet, queue });
  return line(
    toned("wait", `Waits for a worker: ${waitReasonText(why, queue)}`),
    ...(command === undefined ? [] : [": ", toned("accent", command)]),
  );
}

/** [B72] The command that helps, to type on the machine of a worker; nothing if waiting helps. */
export function waitRemedy(
  why: WaitReason,
  { fleet, queue }: { readonly fleet: string; readonly queue: string },
): string | undefined {
  return why.kind === "nobody_up" ? workerCommand(fleet, queue) : undefined;
}

export function workerCommand(fleet: string, queue?: string): string {
  const queues = queue === undefined ? "" : ` --queues ${quoteWord(sanitizeForTerminal(queue))}`;
  return `materia worker --on ${quoteWord(sanitizeForTerminal(fleet))}${queues}`;
}

function blockingLimitText({ kind, name, most }: BlockingLimit): string {
  return `${most} at once ${kind === "all" ? "in all" : `of ${kind} ${sanitizeForTerminal(name)}`}`;
}

/** [Z16] Why a worker with free slots begins nothing. */
export function leavesText({ state, leaves }: Pick<WorkerStatus, "state" | "leaves">): string | undefined {
  return leaves === null || state === "gone" ? undefined : `leaves a cast: ${sanitizeForTerminal(leaves)}`;
}

const SILENT_AFTER_MS = 5_000;

/** The last heartbeat of a worker, or how long it has been silent if it misses heartbeats. */
export function lastHeartbeatText(state: WorkerStatus["state"], silentMs: number): string {
  const ago = silentMs < 60_000 ? `${Math.round(silentMs / 1_000)} s` : ageText(silentMs);
  if (state === "gone") return `last heard ${ago} ago`;
  return silentMs > SILENT_AFTER_MS ? `silent for ${ago}` : `heard ${ago} ago`;
}
