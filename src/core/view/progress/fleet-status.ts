import * as v from "valibot";
import { quoteWord } from "../../command/split-words.ts";
import { sanitizeForTerminal, countedText } from "../../model/text.ts";
import { wholeNumber } from "../../model/schemas.ts";
import { ageText } from "../numbers.ts";
import { toned, type Line } from "../line.ts";

const listOf = <const T extends v.GenericSchema>(each: T) => v.pipe(v.array(each), v.readonly());

const WorkerStatus = v.object({
  worker: v.string(),
  host: v.string(),
  pid: v.number(),
  version: v.string(),
  /** A stopped worker stays in the list for a while. */
  state: v.picklist(["up", "draining", "gone"]),
  queues: listOf(v.string()),
  concurrency: wholeNumber(0),
  casts: listOf(v.string()),
  /** [Z16] Why it left the last queued cast that it could not begin; null if there is none. */
  leaves: v.nullable(v.string()),
  /** Time since its last heartbeat, by the clock of the database. */
  silentMs: v.number(),
});
export type WorkerStatus = Readonly<v.InferOutput<typeof WorkerStatus>>;

const BlockingLimit = v.object({
  kind: v.picklist(["all", "project", "provider"]),
  name: v.string(),
  most: wholeNumber(0),
});
export type BlockingLimit = Readonly<v.InferOutput<typeof BlockingLimit>>;

/** [B29] Why a cast waits for a worker. */
const WaitReason = v.variant("kind", [
  /** No live worker has its model or tools. */
  v.object({ kind: v.literal("blocked"), why: v.string() }),
  v.object({ kind: v.literal("limit"), limits: listOf(BlockingLimit) }),
  v.object({ kind: v.picklist(["nobody_up", "busy", "soon"]) }),
]);
export type WaitReason = Readonly<v.InferOutput<typeof WaitReason>>;

const QueuedCast = v.object({
  castId: v.string(),
  request: v.string(),
  loadout: v.string(),
  project: v.string(),
  person: v.string(),
  queue: v.string(),
  /** Its position among the waiting casts of its project in this queue. */
  place: wholeNumber(0),
  waitsMs: v.number(),
  why: WaitReason,
});
export type QueuedCast = Readonly<v.InferOutput<typeof QueuedCast>>;

/** [B18, B29] The workers of a fleet, their casts, and the queue. */
export const FleetStatus = v.object({
  workers: listOf(WorkerStatus),
  /** The number of waiting casts, and the first of them. */
  queued: wholeNumber(0),
  queue: listOf(QueuedCast),
});
export type FleetStatus = Readonly<v.InferOutput<typeof FleetStatus>>;

interface HeldCast {
  readonly blocked: string | null;
  readonly held: readonly BlockingLimit[];
  readonly queue: string;
}

/** [B29] Why a cast waits; reasons that a person can remove come first. */
export function waitReasonOf({ blocked, held, queue }: HeldCast, workers: readonly WorkerStatus[]): WaitReason {
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
  const reason = toned("wait", `Waits for a worker: ${waitReasonText(why, queue)}`);
  const command = waitRemedy(why, { fleet, queue });
  return command === undefined ? [reason] : [reason, { text: ": " }, toned("accent", command)];
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
