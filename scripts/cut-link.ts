// Two workers in separate network namespaces, over TLS and with the times of a real fleet; the link of one is cut and restored.
// As root, on Linux: node scripts/cut-link.ts
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateFleet } from "../src/shell/fleet/worker/migrate-fleet.ts";
import { HEARTBEAT_TIMING } from "../src/shell/fleet/worker/worker-registry.ts";
import { openDatabase, type Database } from "../src/shell/store/postgres/database.ts";
import { ownServer } from "../test/harness/fleet/own-server.ts";
import { NOBODY } from "../test/harness/fleet/programs.ts";
import { startWorker, until, type WorkerProcess } from "../test/harness/fleet/start-worker.ts";
import { castProblems, outcomeOf } from "../test/harness/fleet/storm/storm-laws.ts";
import { stormPlace, submitMore, submitOne } from "../test/harness/fleet/storm/storm-place.ts";

const NAME = "fleet.test";
const NETS = [
  { space: "materia-a", near: "mat-a", far: "mat-a-in", net: "10.199.1" },
  { space: "materia-b", near: "mat-b", far: "mat-b-in", net: "10.199.2" },
] as const;
type Net = (typeof NETS)[number];

const ip = (...words: readonly string[]): void => void execFileSync("ip", words, { stdio: "inherit" });

function openNet({ space, near, far, net }: Net): void {
  ip("netns", "add", space);
  ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", space);
  ip("addr", "add", `${net}.1/24`, "dev", near);
  ip("link", "set", near, "up");
  for (const words of [
    ["addr", "add", `${net}.2/24`, "dev", far],
    ["link", "set", far, "up"],
    ["link", "set", "lo", "up"],
  ])
    ip("-n", space, ...words);
  mkdirSync(`/etc/netns/${space}`, { recursive: true });
  writeFileSync(`/etc/netns/${space}/hosts`, `127.0.0.1 localhost\n${net}.1 ${NAME}\n`);
}

function closeNet({ space }: Net): void {
  try {
    execFileSync("ip", ["netns", "del", space], { stdio: "ignore" });
  } catch {
    // It was never made.
  }
  rmSync(`/etc/netns/${space}`, { recursive: true, force: true });
}

/** A certificate that names the host, for the server and for those who ask it. */
function certificate(folder: string): { readonly file: string; readonly key: string; readonly text: string } {
  const [file, key] = [join(folder, "server.crt"), join(folder, "server.key")];
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${NAME}`];
  execFileSync("openssl", [...words, "-addext", `subjectAltName=DNS:${NAME}`, "-keyout", key, "-out", file], {
    stdio: "ignore",
  });
  for (const each of [file, key]) chownSync(each, NOBODY.uid, NOBODY.gid);
  chmodSync(key, 0o600);
  return { file, key, text: readFileSync(file, "utf8") };
}

async function stateOf(database: Database, { id }: WorkerProcess): Promise<string | undefined> {
  const text = "select state from materia.workers where worker_id = $1";
  return (await database.query<{ state: string }>({ text, values: [id] }))[0]?.state;
}

async function statusOf(database: Database, castId: string): Promise<string | undefined> {
  const text = "select status from materia.casts where cast_id = $1";
  return (await database.query<{ status: string }>({ text, values: [castId] }))[0]?.status;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function run(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "materia-link-"));
  chmodSync(folder, 0o711);
  const { file, key, text: ca } = certificate(folder);
  const addresses = ["127.0.0.1", ...NETS.map(({ net }) => `${net}.1`)].join(",");
  const data = join(folder, "server");
  const settings = [`listen_addresses=${addresses}`, "ssl=on", `ssl_cert_file=${file}`, `ssl_key_file=${key}`];
  const server = await ownServer({ folder: data, settings });
  const opened = await openDatabase({ url: server.url });
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  const database = opened.value;
  appendFileSync(join(data, "data", "pg_hba.conf"), "hostssl all all 10.199.0.0/16 scram-sha-256\n");
  await database.queryOnce({ text: "select pg_reload_conf()" });
  const migrated = await migrateFleet({ url: server.url });
  if (!migrated.ok) throw new Error(JSON.stringify(migrated.issues));
  const place = stormPlace();
  const url = `${server.url.replace("127.0.0.1", NAME)}?sslmode=verify-full`;
  const hire = ({ space }: Net): Promise<WorkerProcess> =>
    startWorker({
      url,
      folder: join(place.top, space),
      pace: HEARTBEAT_TIMING,
      profile: { ca },
      through: ["ip", "netns", "exec", space],
    });
  const workers: WorkerProcess[] = [];
  try {
    const [a, b] = NETS;
    const first = await hire(a);
    workers.push(first);
    const calm = await submitOne(place, server.url, "Storm");
    await until(async () => (await statusOf(database, calm)) === "completed");
    const wanted = await outcomeOf(database, place.cwd, calm);
    const [castId = ""] = await submitMore(database, calm, 1);
    await until(async () => (await statusOf(database, castId)) === "running");
    const cut = performance.now();
    ip("link", "set", a.near, "down");
    console.log(`${first.id} drives ${castId}; its link is cut`);
    workers.push(await hire(b));
    await until(async () => (await stateOf(database, first)) === "gone");
    console.log(`given up after ${seconds(cut)}`);
    await until(async () => (await statusOf(database, castId)) === "completed");
    console.log(`completed by the other after ${seconds(cut)}`);
    const mended = performance.now();
    ip("link", "set", a.near, "up");
    const code = await first.ended;
    console.log(`the link is mended; it left with ${code} after ${seconds(mended)}`);
    const problems = await castProblems(database, { cwd: place.cwd, castId, wanted });
    return code === 75 ? problems : [...problems, `it left with ${code}, not with 75`];
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await database.close();
    await server.close();
    for (const each of [folder, place.top]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.getuid?.() !== 0) {
  console.error("Namespaces are made by root.");
  process.exit(2);
}
NETS.forEach(closeNet);
try {
  NETS.forEach(openNet);
  const problems = await run();
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  NETS.forEach(closeNet);
}
