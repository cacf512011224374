import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { WaitGroup } from "../../../core/view/now/fleet.ts";
import { thisProcess } from "../../process/process-owner.ts";
import { postgresStore } from "../../store/postgres/postgres-store.ts";
import { guarded } from "../../store/postgres/looking.ts";
import { BUDGETS, DUE, openNews } from "../../store/postgres/database/news.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { pause } from "../../run/pause.ts";
import { problemText } from "../../system/problem.ts";
import { VERSION } from "../../version.ts";
import { freeParked, openParking } from "../items/parking.ts";
import { openChecked } from "../open/fleet.ts";
import type { Profile } from "../open/profile.ts";
import { forgetGone, legsOfLongAgo, removeLeft, workerName } from "../operations/gone.ts";
import { offerRefused } from "../operations/legs.ts";
import { openWaiting } from "../operations/waiting.ts";
import { openDispatcher, type Dispatcher } from "./dispatcher.ts";
import { driveLeg, type LegEnd, type LegPlace, type TakenLeg } from "./leg.ts";
import { sendDue } from "./outbox.ts";
import { submitScheduled } from "./schedules.ts";
import { beToolsUser, openFolders } from "./tools-folder.ts";
import { openTrees } from "./trees.ts";
import { PACE, openSession, type Pace, type Session } from "./watchdog.ts";

export interface WorkerRequest {
  readonly profile: Profile;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it keeps what it drives; nothing of it is needed once it has ended. */
  readonly folder: string;
  /** Aborted once: it hands back at the ends of visits. */
  readonly draining: AbortSignal;
  /** Aborted: it stops at once. */
  readonly stopping: AbortSignal;
  /** [B25] As whom tools and programs of casts run; as this process's user if unset. */
  readonly toolsUser?: string;
  readonly onStarted?: (figures: () => WorkerFigures) => void;
  readonly onLeg?: (leg: LegReport) => void;
  /** [B29] Told why casts of its queues wait, when a reason comes up. */
  readonly onWaiting?: (waiting: readonly WaitGroup[]) => void;
  readonly pace?: Pace;
  /** How long one statement waits for a database that is away or full. */
  readonly patienceMs?: number;
}

export interface LegReport extends LegEnd {
  readonly castId: string;
  readonly leg: number;
  readonly ms: number;
}

export interface WorkerFigures {
  readonly workerId: string;
  readonly running: readonly string[];
  readonly legs: Readonly<Record<string, number>>;
}

/** Leaves with this when it was given up: whoever started it may start it again. */
const GIVEN_UP = 75;

/** A database that is down for a while is waited for. */
const PATIENCE_MS = 120_000;
const BEATS_BETWEEN_SWEEPS = 5;
const AGAIN_MS = 1_000;
/** Of somebody whom others give up right now a look says nothing yet. */
const LEAST_LOOK_MS = 50;

/** Pulls casts and drives them until it is told to stop, or given up by the others. Answers with the code to leave with. */
export async function runWorker(request: WorkerRequest): Promise<Result<number>> {
  const { profile, pace = PACE, patienceMs = PATIENCE_MS } = request;
  const user = request.toolsUser === undefined ? ok(undefined) : await beToolsUser(request.toolsUser);
  if (!user.ok) return user;
  const opened = await openChecked(profile, patienceMs);
  if (!opened.ok) return opened;
  const parts = partsOf(request, opened.value);
  const at = `fleet.profiles.${profile.name}.url`;
  const enrolled = await guarded(at, async () => ok(await openSession(opened.value, parts.me, pace)));
  if (enrolled.ok) return work(request, parts, enrolled.value);
  await parts.store.close();
  return enrolled;
}

/** What a worker is made of, before anybody knows of it. */
function partsOf({ profile, queues, concurrency, folder: base }: WorkerRequest, database: Database) {
  const { pid, startedAt: started } = thisProcess();
  const workerId = workerName(hostname(), pid, randomBytes(3).toString("hex"));
  const folder = join(base, workerId);
  openFolders(folder);
  const scratch = join(folder, "casts");
  const trees = openTrees(database, folder, profile);
  const troubled = new Set<CastId>();
  const onTrouble = (castId: CastId): void => void troubled.add(castId);
  const store = postgresStore({
    database,
    place: scratch,
    worker: { id: workerId, scratch, packOf: trees.packOf, keeping: trees.keeping, onTrouble },
  });
  const me = { workerId, host: hostname(), pid, started, version: VERSION, queues, concurrency };
  const budgets = openNews(database, BUDGETS);
  return { workerId, folder, me, database, trees, troubled, store, budgets };
}

async function work(
  request: WorkerRequest,
  { folder, me: _me, ...place }: ReturnType<typeof partsOf>,
  session: Session,
): Promise<Result<number>> {
  const { profile, queues, concurrency, pace = PACE } = request;
  const { workerId, database, store } = place;
  const stopping = new AbortController();
  request.stopping.addEventListener("abort", () => stopping.abort());
  let wake = (): void => undefined;
  const driven = legDriver(
    { ...request, onLeg: (leg) => (request.onLeg?.(leg), wake()) },
    { profile, ...place, tellTurn: place.store.tellTurn, stopping: stopping.signal },
  );
  const dispatcher = await openDispatcher({
    url: profile.url,
    database,
    workerId,
    queues,
    concurrency,
    drive: driven.drive,
    pollMs: pace.pollMs,
  });
  const leave = async (): Promise<void> => {
    await session.setState("gone").catch(() => undefined);
    await session.close();
    await place.budgets.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!dispatcher.ok) {
    await leave();
    return dispatcher;
  }
  request.onStarted?.(() => ({ workerId, running: [...driven.running], legs: driven.legs }));
  await removeLeft(database, request.folder).catch(() => undefined);
  const code = await untilOver(request, {
    workerId,
    session,
    dispatcher: dispatcher.value,
    database,
    pace,
    // [B22] Where a leg has ended there may be a place under a limit.
    onReady: (waker) => (wake = waker),
  });
  // Given up it owns nothing any more; otherwise others go on where its visits end.
  if (code === GIVEN_UP) stopping.abort();
  else await session.setState("draining").catch(() => undefined);
  const drained = Promise.all([dispatcher.value.close(), driven.over()]);
  const isGone = await beatUntil(drained, { session, pace, stop: () => stopping.abort() });
  await leave();
  return ok(isGone ? GIVEN_UP : code);
}

/** [B11] A visit may take long: who drains is still heard of. Answers whether it was given up all the same. */
async function beatUntil(
  drained: Promise<unknown>,
  { session, pace, stop }: Pick<Beating, "session" | "pace"> & { readonly stop: () => void },
): Promise<boolean> {
  const over = new AbortController();
  const done = drained.finally(() => over.abort());
  let isGone = false;
  while (!over.signal.aborted && !isGone) {
    await pause(pace.beatMs, over.signal);
    isGone = !over.signal.aborted && !(await session.beat().catch(() => true));
  }
  if (isGone) stop();
  await done;
  return isGone;
}

interface Driven {
  readonly drive: (castId: string, leg: number) => Promise<void>;
  readonly running: ReadonlySet<string>;
  readonly legs: Readonly<Record<string, number>>;
  /** Resolves when none is driven any more, those that keep no place included. */
  readonly over: () => Promise<unknown>;
}

/** Legs as the queue hands them over; whatever happens in one, the next is taken. */
function legDriver(request: WorkerRequest, place: Omit<LegPlace, "env" | "draining">): Driven {
  const running = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const legs: Record<string, number> = {};
  const drive = async (text: string, leg: number): Promise<void> => {
    const castId = parseCastId(text);
    if (castId === undefined) return;
    const begun = Date.now();
    running.add(castId);
    const parking = openParking(place.database, { castId, leg, workerId: place.workerId });
    const through = async (): Promise<void> => {
      const at = { ...place, env: request.env, draining: request.draining };
      const end = await driveThrough(at, { castId, leg, parking });
      legs[end.how] = (legs[end.how] ?? 0) + 1;
      request.onLeg?.({ castId, leg, ms: Date.now() - begun, ...end });
    };
    const driven = through().finally(() => underWay.delete(driven));
    underWay.add(driven);
    // [B12] Its place is for another from here on.
    await Promise.race([driven, parking.parked]);
    running.delete(castId);
  };
  return { drive, running, legs, over: () => Promise.allSettled(underWay) };
}

/** [B5] Where only the database stood in the way the leg is tried again here: nobody else is offered it. */
async function driveThrough(place: LegPlace, leg: TakenLeg): Promise<LegEnd> {
  for (let isAgain = false; ; isAgain = true) {
    const end = await driveLeg(place, { ...leg, isAgain }).catch((thrown: unknown): LegEnd => ({
      how: "stopped",
      why: problemText(thrown),
      isPassing: true,
    }));
    if (!end.isPassing || place.stopping.aborted) return end;
    await pause(AGAIN_MS, place.stopping);
  }
}

interface Beating {
  readonly workerId: string;
  readonly session: Session;
  readonly dispatcher: Dispatcher;
  readonly database: Database;
  readonly pace: Pace;
  /** Given what makes it look before the next beat. */
  readonly onReady: (wake: () => void) => void;
}

/** [B14] Beat after beat: shows that it lives, looks after the others, and sends what is due. */
async function untilOver(request: WorkerRequest, beating: Beating): Promise<number> {
  const { draining, stopping, queues, profile, onWaiting: tell = () => undefined } = request;
  const { session, dispatcher, database, pace, workerId } = beating;
  const tellWaiting = openWaiting({ database, profile, queues, againMs: pace.againMs, tell });
  const due = openNews(database, DUE);
  let wake = (): void => undefined;
  const signals = [draining, stopping];
  for (const signal of signals) signal.addEventListener("abort", () => wake());
  due.on(undefined, () => wake());
  beating.onReady(() => wake());
  const sweep = async (): Promise<void> => {
    await session.alone(async () => dispatcher.takeBack(await session.gone()));
    await dispatcher.takeBackLost();
    await freeParked(database);
    await offerRefused(database, { workerId, queues, againMs: pace.againMs });
    await tellWaiting();
    await session.alone(async () => {
      await forgetGone(database);
      await dispatcher.forget(await legsOfLongAgo(database));
    });
  };
  try {
    for (let beats = 0, nextBeat = 0, nextLook = 0; ;) {
      if (signals.some(({ aborted }) => aborted)) return 0;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        const isBeat = Date.now() >= nextBeat;
        if (isBeat) {
          nextBeat = Date.now() + pace.beatMs;
          if (!(await session.beat())) return GIVEN_UP;
          await submitScheduled(database);
          beats += 1;
        }
        if (isBeat || Date.now() >= nextLook) {
          nextLook = nextBeat;
          const dead = await session.judge();
          if (dead.length > 0 || (isBeat && beats % BEATS_BETWEEN_SWEEPS === 1)) await sweep();
          const verdict = await session.nextVerdict();
          if (verdict !== undefined) nextLook = Date.now() + Math.max(LEAST_LOOK_MS, verdict);
        }
        while ((await sendDue(database, dispatcher, queues)) > 0 && Date.now() < nextBeat);
      } catch {
        // The database is away; what this worker may still do, its claims decide.
      }
      const beat = new AbortController();
      await Promise.race([woken, pause(Math.max(1, Math.min(nextBeat, nextLook) - Date.now()), beat.signal)]);
      beat.abort();
    }
  } finally {
    await due.close();
  }
}
