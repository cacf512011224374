import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import type { Database } from "../../../src/shell/store/postgres/database.ts";
import { commitAll, git } from "../../git/scratch.ts";
import { copied } from "../copied.ts";
import { newPlace, put, run, runProcess, userFolder, type Ran } from "../cli.ts";
import { closing, fleetDatabase } from "./postgres.ts";
import { startWorker, until, type WorkerProcess, type WorkerSetup } from "./start-worker.ts";

/** Each visit writes its name into `work.log`; one that waits says so and goes on when it may. */
const RUN = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
const input = JSON.parse(await new Promise((done) => { let text = ""; process.stdin.on("data", (c) => (text += c)).on("end", () => done(text)); }));
const [what] = process.argv.slice(2);
const gate = input.request.trim();
if (what === "wait" || what === "die") {
  writeFileSync(gate + "/" + input.socketId, "");
  // A worker that was killed leaves it behind; it ends with the folders of the tests.
  while (!existsSync(gate + "/go")) {
    if (!existsSync(gate)) process.exit(1);
    await new Promise((done) => setTimeout(done, 20));
  }
}
if (what === "flood") for (const name of "abcdef") writeFileSync(name + ".bin", Buffer.alloc(1_000_000, name));
if (what === "nest") execFileSync("git", ["init", "-q", "inner"]);
appendFileSync("work.log", input.socketId + "\\n");
console.log(JSON.stringify({ satisfied: true }));
`;

const utility = (what: string) => ({
  type: "utility",
  command: [process.execPath, "run.mjs", what],
  parse: "json",
  timeoutMs: 280_000,
});

function line(...materia: readonly string[]) {
  const sockets = materia.map((name, index) => [
    `Socket-${index + 1}`,
    { materia: name, edges: index + 1 < materia.length ? [{ when: "always", to: `Socket-${index + 2}` }] : [] },
  ]);
  return { entry: "Socket-1", sockets: Object.fromEntries(sockets) };
}

const CONFIG = {
  activeLoadout: "Quick",
  materia: {
    Step: utility("step"),
    Wait: utility("wait"),
    Flood: utility("flood"),
    Nest: utility("nest"),
    Ask: { type: "person", question: "Go on?" },
    Agent: { type: "agent", prompt: "Do it.", tools: "coding" },
  },
  loadouts: {
    Quick: line("Step", "Step"),
    Slow: line("Step", "Wait", "Step"),
    Asking: line("Step", "Ask", "Step"),
    Long: line("Step", "Step", "Step", "Step", "Step"),
    Thinking: line("Agent"),
    Flooding: line("Step", "Flood", "Step"),
    Nesting: line("Step", "Nest", "Step"),
  },
};

export interface FleetPlace {
  readonly cwd: string;
  readonly url: string;
  readonly database: Database;
  /** Where a visit that waits says so. */
  readonly gate: string;
  readonly materia: (...args: readonly string[]) => Promise<Ran>;
  /** The same in a separate process: several may do so at once. */
  readonly materiaBeside: (...args: readonly string[]) => Promise<Ran>;
  readonly worker: (setup?: Partial<WorkerSetup>) => Promise<WorkerProcess>;
}

/** A project with a repository, a database with the tables of a fleet, and a person who knows both. */
export async function fleetPlace(): Promise<FleetPlace> {
  const { url, database } = await fleetDatabase();
  closing(database);
  const cwd = newPlace();
  copied("fleet", cwd, (folder) => {
    put(folder, { "conf.json": CONFIG, "run.mjs": RUN, "first.txt": "one\n" });
    commitAll(folder);
  });
  const gate = join(dirname(cwd), "gate");
  mkdirSync(gate);
  put(userFolder(cwd), { "materia.json": { fleet: { profiles: { f: { url: "$FLEET_URL", project: "p" } } } } });
  const options = { cwd, env: { FLEET_URL: url } };
  const words = (args: readonly string[]) => ["--on", "f", "--config", "conf.json", ...args];
  return {
    cwd,
    url,
    database,
    gate,
    materia: (...args) => run(words(args), options),
    materiaBeside: (...args) => runProcess(words(args), options),
    worker: (setup) => closingWorker({ url, folder: join(dirname(cwd), "work"), ...setup }),
  };
}

async function closingWorker(setup: WorkerSetup): Promise<WorkerProcess> {
  const worker = await startWorker(setup);
  onTestFinished(worker.end);
  return worker;
}

export function isWaiting({ gate }: FleetPlace, socket: string): boolean {
  return existsSync(join(gate, socket));
}

export function letGo({ gate }: FleetPlace): void {
  writeFileSync(join(gate, "go"), "");
}

export async function eventsOn({ database }: FleetPlace, castId: string): Promise<readonly CastEvent[]> {
  const rows = await database.query<{ event: string }>({
    text: "select event from materia.events where cast_id = $1 order by seq",
    values: [castId],
  });
  return rows.map(({ event }) => JSON.parse(event) as CastEvent); // written by the program under test
}

/** Resolves when the worker of a stopped cast has released it: until then others are refused. */
export async function statusOn({ database }: FleetPlace, castId: string): Promise<string> {
  return until(async () => {
    const [row] = await database.query<{ status: string; held: boolean }>({
      text: "select status, materia.is_driven(owner) and status not in ('running', 'queued') as held from materia.casts where cast_id = $1",
      values: [castId],
    });
    return row?.held !== true && (row?.status ?? "none");
  });
}

/** The id that a submission which nobody follows prints. */
export async function submitted(place: FleetPlace, loadout: string): Promise<string> {
  const ran = await place.materia("cast", "--loadout", loadout, "--detach", place.gate);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
}

export function fileOf(cwd: string, commit: string, name: string): string {
  return git(cwd, "show", `${commit}:${name}`);
}

export function workersOf({ database }: FleetPlace): Promise<readonly { readonly state: string }[]> {
  return database.query({ text: "select state from materia.workers where state <> 'gone'" });
}
