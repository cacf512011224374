import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrateFleet } from "../../../../src/shell/fleet/worker/migrate-fleet.ts";
import { openDatabase, type Database } from "../../../../src/shell/store/postgres/database.ts";
import { chanceOf, type Chance } from "../../random-graph.ts";
import { openLink, type Link } from "../cut-link.ts";
import { ownServer, type OwnServer } from "../own-server.ts";
import { startHostileMember } from "./hostile.ts";
import { untilGivenUp } from "../silence.ts";
import { startWorker, until, type WorkerProcess, type WorkerSetup } from "../start-worker.ts";
import { castProblems, outcomeOf, type Outcome } from "./storm-laws.ts";
import { LOADOUTS, stormPlace, submitMore, submitOne, type StormPlace } from "./storm-place.ts";

export interface StormPlan {
  readonly seed: number;
  readonly casts: number;
  readonly workers: number;
  /** So many; then nothing disturbs them any more. Or how many of each kind. */
  readonly faults: number | Readonly<Partial<Record<Fault, number>>>;
  /** A member of another project attacks all the while. */
  readonly hostile?: boolean;
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
  /** Of the hostile member. */
  readonly attacks: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

/** Every kind before any comes again. */
const FAULTS = ["kill", "cut", "restart immediate", "full disk", "pause", "kill", "restart fast", "stop"] as const;
export type Fault = (typeof FAULTS)[number];

const PATIENCE_MS = 60_000;
/** Nobody is given up for being slow on a busy machine: that time has passed is said in the database. */
const PACE = { beatMs: 100, silentMs: 60_000, unlockedMs: 60_000, newMs: 300, pollMs: 50, againMs: 500 };
const DISK_FAULTS = new URL("../../chaos/faults.mjs", import.meta.url).href;

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
    const hostile = plan.hostile ? await startHostileMember(server.url, database) : undefined;
    const calm = await undisturbed(place, server.url, { database, signal: plan.signal });
    const casts: { castId: string; wanted: Outcome }[] = [];
    for (const [index, { castId, wanted }] of calm.entries()) {
      const count = Math.floor((plan.casts + index) / calm.length);
      for (const each of await submitMore(database, castId, count)) casts.push({ castId: each, wanted });
    }
    const faults = await disturb({ ...plan, chance: chanceOf(plan.seed), server, database, crew });
    await untilFinished(database, plan.signal);
    await untilNothingPending(database, plan.signal);
    await hostile?.close();
    const problems = (hostile?.seen() ?? []).map((castId) => `the hostile member has seen ${castId}`);
    for (const each of casts) problems.push(...(await castProblems(database, { cwd: place.cwd, ...each })));
    const counts = await countsOf(database);
    return {
      casts: casts.length,
      ...counts,
      faults,
      left: crew.left(),
      attacks: hostile?.attacks() ?? 0,
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

/** A worker with a way to the database that can be cut, and a disk that can be full. */
interface CrewMember extends WorkerProcess {
  readonly link: Link;
  readonly full: string;
}

/** Workers; one that leaves is followed by another, as a machine's own supervisor does. */
interface Crew {
  readonly hire: (count: number) => Promise<void>;
  readonly all: () => readonly CrewMember[];
  readonly left: () => Readonly<Record<string, number>>;
  readonly dismiss: () => Promise<void>;
}

function openCrew(setup: WorkerSetup, database: Database, signal: AbortSignal): Crew {
  const crew = new Set<CrewMember>();
  let hired = 0;
  const left: Record<string, number> = {};
  const over = new AbortController();
  signal.addEventListener("abort", () => over.abort());
  const hireOne = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const link = await openLink(setup.url);
      const full = join(dirname(setup.folder), `full-${(hired += 1)}`);
      const env = { NODE_OPTIONS: `--import=${DISK_FAULTS}`, CHAOS_FULL_WHILE: full };
      try {
        const worker = { ...(await startWorker({ ...setup, url: link.url, env, signal: over.signal })), link, full };
        crew.add(worker);
        void worker.ended.then((code) => {
          crew.delete(worker);
          void link.close();
          // Workers that reported no end; the storm continues.
          void untilGivenUp(database, worker.id, over.signal).catch(() => undefined);
          left[code ?? "killed"] = (left[code ?? "killed"] ?? 0) + 1;
          return over.signal.aborted ? undefined : hireOne();
        });
        return;
      } catch {
        // The database is away; the next one may find it.
        await link.close();
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
  const planned = plannedFaults(storm);
  const stretch = Math.max(1, Math.floor((casts * 4) / planned.length));
  for (const fault of planned) {
    const goal = (await countsOf(database)).visits + chance.count(1, stretch);
    await until(
      async () => (await countsOf(database)).visits >= goal || (await unfinished(database)) === 0,
      storm.signal,
    );
    if ((await unfinished(database)) === 0) break;
    faults[fault] = (faults[fault] ?? 0) + 1;
    storm.say?.(`${fault} at visit ${goal}`);
    await strike(storm, fault);
  }
  return faults;
}

function plannedFaults({ faults, seed, chance }: Storm): readonly Fault[] {
  if (typeof faults === "number")
    return Array.from({ length: faults }, (_, count) => FAULTS[(seed + count) % FAULTS.length] ?? "kill");
  const all = FAULTS.flatMap((fault, index) =>
    FAULTS.indexOf(fault) === index ? Array.from({ length: faults[fault] ?? 0 }, () => fault) : [],
  );
  return all
    .map((fault) => ({ fault, at: chance.count(0, 1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ fault }) => fault);
}

async function strike({ chance, crew, server, database, signal }: Storm, fault: Fault): Promise<void> {
  if (fault === "restart fast" || fault === "restart immediate") {
    await server.stop(fault === "restart fast" ? "fast" : "immediate");
    await server.start();
    return;
  }
  const all = await until(async () => {
    const spared = await workersOfLastAttempts(database);
    const others = crew.all().filter(({ id }) => !spared.has(id));
    return others.length > 0 && others;
  }, signal);
  const victim = all[chance.count(0, all.length - 1)];
  if (!victim) return;
  if (fault === "kill") return victim.kill("SIGKILL");
  if (fault === "stop") return victim.kill("SIGTERM");
  if (fault === "cut") {
    victim.link.cut();
    await database.pause(chance.count(50, 500));
    return victim.link.mend(chance.count(0, 1) === 0 ? "arrives" : "is gone");
  }
  if (fault === "full disk") {
    writeFileSync(victim.full, "");
    await database.pause(chance.count(50, 500));
    return rmSync(victim.full, { force: true });
  }
  victim.kill("SIGSTOP");
  await untilGivenUp(database, victim.id, signal);
  victim.kill("SIGCONT");
}

/** [B15] One more death would rightly fail their casts; any other failure is a fault. */
async function workersOfLastAttempts(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ worker: string }>({
    text: `select s.executor_id as worker from dbos.workflow_status s join materia.casts c on s.workflow_uuid = c.cast_id || ':' || c.leg
      where s.status = 'PENDING' and c.tries >= 3 and c.project = 'p'`,
  });
  return new Set(rows.map(({ worker }) => worker));
}

/** Where nothing goes on any more it says what stands where. */
async function untilFinished(database: Database, signal: AbortSignal): Promise<void> {
  await until(async () => (await unfinished(database)) === 0, signal).catch(async (thrown: unknown) => {
    throw new Error(await standing(database), { cause: thrown });
  });
}

/** No dispatch holds a slot any more. */
async function untilNothingPending(database: Database, signal: AbortSignal): Promise<void> {
  const text = `select from dbos.workflow_status s join materia.casts c on s.workflow_uuid = c.cast_id || ':' || c.leg
    where s.status = 'PENDING' and c.project = 'p'`;
  await until(async () => (await database.query({ text })).length === 0, signal).catch(async (thrown: unknown) => {
    throw new Error(`a slot is lost: ${await standing(database)}`, { cause: thrown });
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
    text: "select count(*)::int as count from materia.casts where project = 'p' and status not in ('completed', 'failed', 'aborted', 'not_satisfied')",
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
