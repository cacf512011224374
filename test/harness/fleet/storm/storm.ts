import { rmSync } from "node:fs";
import { join } from "node:path";
import { migrateFleet } from "../../../../src/shell/fleet/worker/migrate-fleet.ts";
import { openDatabase, type Database } from "../../../../src/shell/store/postgres/database.ts";
import { chanceOf, type Chance } from "../../random-graph.ts";
import { ownServer, type OwnServer } from "../own-server.ts";
import { untilGivenUp } from "../silence.ts";
import { startWorker, until, type WorkerProcess, type WorkerSetup } from "../start-worker.ts";
import { castProblems, outcomeOf, type Outcome } from "./storm-laws.ts";
import { LOADOUTS, stormPlace, submitMore, submitOne, type StormPlace } from "./storm-place.ts";

export interface StormPlan {
  readonly seed: number;
  readonly casts: number;
  readonly workers: number;
  /** So many; then nothing disturbs them any more. */
  readonly faults: number;
  readonly say?: (line: string) => void;
  /** Ends it, and all that it started. */
  readonly signal: AbortSignal;
}

export interface StormReport {
  readonly casts: number;
  readonly visits: number;
  readonly events: number;
  /** How often a cast was taken up again. */
  readonly resumed: number;
  readonly faults: Readonly<Record<string, number>>;
  /** By the code that they left with. */
  readonly left: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly problems: readonly string[];
}

/** Every kind before any comes again. */
const FAULTS = ["kill", "restart immediate", "pause", "kill", "restart fast", "stop"] as const;
type Fault = (typeof FAULTS)[number];

const PATIENCE_MS = 60_000;
/** Nobody is given up for being slow on a busy machine: that time has passed is said in the database. */
const PACE = { beatMs: 100, silentMs: 60_000, unlockedMs: 60_000, newMs: 300, pollMs: 50 };

/** Everything that a storm disturbs. */
interface Storm extends StormPlan {
  readonly chance: Chance;
  readonly server: OwnServer;
  readonly database: Database;
  readonly crew: Crew;
}

/** [B55] Many casts on a few workers, through the faults that this number stands for, and all that was wrong in the end. */
export async function fleetStorm(plan: StormPlan): Promise<StormReport> {
  const begun = performance.now();
  const place = stormPlace();
  const server = await ownServer();
  const opened = await openDatabase({ url: server.url }, { patienceMs: PATIENCE_MS });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const database = opened.value;
  const setup = { url: server.url, folder: join(place.top, "work"), pace: PACE };
  const crew = openCrew(setup, database, plan.signal);
  try {
    const migrated = await migrateFleet({ url: server.url });
    if (!migrated.ok) throw new Error(JSON.stringify(migrated.issues));
    await crew.hire(plan.workers);
    const calm = await undisturbed(place, server.url, { database, signal: plan.signal });
    const casts: { castId: string; wanted: Outcome }[] = [];
    for (const [index, { castId, wanted }] of calm.entries()) {
      const count = Math.floor((plan.casts + index) / calm.length);
      for (const each of await submitMore(database, castId, count)) casts.push({ castId: each, wanted });
    }
    const faults = await disturb({ ...plan, chance: chanceOf(plan.seed), server, database, crew });
    await untilFinished(database, plan.signal);
    const problems: string[] = [];
    for (const each of casts) problems.push(...(await castProblems(database, { cwd: place.cwd, ...each })));
    const counts = await countsOf(database);
    return {
      casts: casts.length,
      ...counts,
      faults,
      left: crew.left(),
      seconds: (performance.now() - begun) / 1000,
      problems,
    };
  } finally {
    await crew.dismiss();
    await database.close();
    await server.close();
    rmSync(place.top, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What a cast of each loadout comes to where nothing disturbs it. */
async function undisturbed(
  place: StormPlace,
  url: string,
  { database, signal }: { readonly database: Database; readonly signal: AbortSignal },
) {
  const calm: { castId: string; wanted: Outcome }[] = [];
  for (const loadout of LOADOUTS) {
    const castId = await submitOne(place, url, loadout);
    await untilFinished(database, signal);
    const wanted = await outcomeOf(database, place.cwd, castId);
    const problems = await castProblems(database, { cwd: place.cwd, castId, wanted });
    if (problems.length > 0) throw new Error(problems.join("\n"));
    calm.push({ castId, wanted });
  }
  return calm;
}

/** Workers; one that leaves is followed by another, as a machine's own supervisor does. */
interface Crew {
  readonly hire: (count: number) => Promise<void>;
  readonly all: () => readonly WorkerProcess[];
  readonly left: () => Readonly<Record<string, number>>;
  readonly dismiss: () => Promise<void>;
}

function openCrew(setup: WorkerSetup, database: Database, signal: AbortSignal): Crew {
  const crew = new Set<WorkerProcess>();
  const left: Record<string, number> = {};
  const over = new AbortController();
  signal.addEventListener("abort", () => over.abort());
  const hireOne = async (): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        const worker = await startWorker({ ...setup, signal: over.signal });
        crew.add(worker);
        void worker.ended.then((code) => {
          crew.delete(worker);
          // Workers that reported no end; the storm continues.
          void untilGivenUp(database, worker.id, over.signal).catch(() => undefined);
          left[code ?? "killed"] = (left[code ?? "killed"] ?? 0) + 1;
          return over.signal.aborted ? undefined : hireOne();
        });
        return;
      } catch {
        // The database is away; the next one may find it.
        left["not started"] = (left["not started"] ?? 0) + 1;
      }
    }
  };
  return {
    hire: async (count) => void (await Promise.all(Array.from({ length: count }, hireOne))),
    all: () => [...crew],
    left: () => left,
    dismiss: async () => {
      over.abort();
      await Promise.all([...crew].map((worker) => worker.end()));
    },
  };
}

async function disturb(storm: Storm): Promise<Record<string, number>> {
  const { chance, database, casts } = storm;
  const faults: Record<string, number> = {};
  const stretch = Math.max(1, Math.floor((casts * 4) / storm.faults));
  for (let count = 0; count < storm.faults; count += 1) {
    const goal = (await countsOf(database)).visits + chance.count(1, stretch);
    await until(
      async () => (await countsOf(database)).visits >= goal || (await unfinished(database)) === 0,
      storm.signal,
    );
    if ((await unfinished(database)) === 0) break;
    const fault = FAULTS[(storm.seed + count) % FAULTS.length] ?? "kill";
    faults[fault] = (faults[fault] ?? 0) + 1;
    storm.say?.(`${fault} at visit ${goal}`);
    await strike(storm, fault);
  }
  return faults;
}

async function strike({ chance, crew, server, database, signal }: Storm, fault: Fault): Promise<void> {
  if (fault === "restart fast" || fault === "restart immediate") {
    await server.stop(fault === "restart fast" ? "fast" : "immediate");
    await server.start();
    return;
  }
  const all = await until(() => crew.all().length > 0 && crew.all(), signal);
  const victim = all[chance.count(0, all.length - 1)];
  if (!victim) return;
  if (fault === "kill") return victim.kill("SIGKILL");
  if (fault === "stop") return victim.kill("SIGTERM");
  victim.kill("SIGSTOP");
  await untilGivenUp(database, victim.id, signal);
  victim.kill("SIGCONT");
}

/** Where nothing goes on any more it says what stands where. */
async function untilFinished(database: Database, signal: AbortSignal): Promise<void> {
  await until(async () => (await unfinished(database)) === 0, signal).catch(async (thrown: unknown) => {
    throw new Error(await standing(database), { cause: thrown });
  });
}

async function standing(database: Database): Promise<string> {
  const looks = [
    "select cast_id, status, leg, sent, owner, tries, parked_by from materia.casts where status not in ('completed', 'failed')",
    "select worker_id, state, seen_at, now() from materia.workers where state <> 'gone'",
    "select workflow_uuid, status, executor_id from dbos.workflow_status where status not in ('SUCCESS', 'ERROR')",
  ];
  const found = await Promise.all(looks.map((text) => database.query({ text })));
  return found.map((rows) => rows.map((row) => JSON.stringify(row)).join("\n")).join("\n\n");
}

async function unfinished(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>({
    text: "select count(*)::int as count from materia.casts where status not in ('completed', 'failed', 'aborted', 'not_satisfied')",
  });
  return row?.count ?? 0;
}

async function countsOf(database: Database) {
  const [row] = await database.query<{ visits: number; events: number; resumed: number }>({
    text: `select count(*)::int as events, count(*) filter (where event like '%"type":"visit_completed"%')::int as visits,
      count(*) filter (where event like '%"type":"cast_resumed"%')::int as resumed from materia.events`,
  });
  return { visits: row?.visits ?? 0, events: row?.events ?? 0, resumed: row?.resumed ?? 0 };
}
