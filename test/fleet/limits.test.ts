import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openProgress } from "../../src/apps/cli/terminal/progress.ts";
import { parseArgv } from "../../src/core/command/parse.ts";
import { planCast } from "../../src/shell/casting/start-cast.ts";
import { sendDueDispatches } from "../../src/shell/fleet/worker/send-due.ts";
import { providersOf } from "../../src/shell/fleet/submit-cast.ts";
import type { Database } from "../../src/shell/store/postgres/database.ts";
import { newPlace, put, run, userFolder } from "../harness/cli.ts";
import { fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { looker, printing } from "../harness/fleet/looker.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { enrol, fleetDatabase } from "../harness/fleet/postgres.ts";
import { graphOf } from "../harness/build.ts";

let database: Database;
let url = "";

beforeAll(async () => ({ url, database } = await fleetDatabase()));
afterAll(() => database.close());
beforeEach(() => database.queryOnce({ text: "truncate materia.casts, materia.limits, materia.workers cascade" }));

async function due(id: string, project: string, { priority = 0, providers = [] as string[] } = {}): Promise<void> {
  await database.queryOnce({
    text: `insert into materia.casts (cast_id, project, priority, providers, file, status, leg, summary) values ($1, $2, $3, $4, '{}', 'queued', 1, '{}')`,
    values: [id, project, priority, providers],
  });
}

const limit = (kind: string, name: string, most: number) =>
  database.queryOnce({ text: "insert into materia.limits values ($1, $2, $3)", values: [kind, name, most] });

/** What is sent until nothing more may be, in its order. */
async function sent(queues = ["casts"]): Promise<readonly string[]> {
  const ids: string[] = [];
  const dispatcher = {
    send: async (_client: unknown, { castId }: { castId: string }) => void ids.push(castId),
  };
  while ((await sendDueDispatches(database, dispatcher, queues)) > 0);
  return ids;
}

const over = (id: string) =>
  database.queryOnce({ text: "update materia.casts set status = 'completed' where cast_id = $1", values: [id] });

it("[B22] limits of a project, of a provider and of all hold", async () => {
  for (const id of ["a1", "a2", "a3"]) await due(id, "a", { providers: ["acme"] });
  await due("b1", "b", { providers: ["acme", "other"] });
  await due("c1", "c");
  await limit("project", "a", 2);
  await limit("provider", "acme", 2);
  expect(await sent()).toEqual(["a1", "b1", "c1"]);
  await over("b1");
  expect(await sent()).toEqual(["a2"]);
  await limit("all", "", 1);
  await over("a1");
  expect(await sent()).toEqual([]);
  await over("a2");
  await over("c1");
  expect(await sent()).toEqual(["a3"]);
});

it("[B60] under a limit for all, projects take turns, and a lower priority goes first within one", async () => {
  await limit("all", "", 1);
  for (const id of ["a1", "a2", "a3"]) await due(id, "a");
  await due("a4", "a", { priority: -1 });
  for (const id of ["b1", "b2"]) await due(id, "b");
  const order: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const [id = "nothing"] = await sent();
    order.push(id);
    await over(id);
  }
  expect(order).toEqual(["a4", "b1", "a1", "b2", "a2", "a3"]);
});

it("[B60] several senders at once send no more than one", async () => {
  await limit("project", "a", 3);
  for (let count = 0; count < 20; count += 1) await due(`a${count}`, "a");
  const all = await Promise.all(Array.from({ length: 4 }, () => sent()));
  expect(all.flat()).toHaveLength(3);
});

it("[B22] a cast that lost its worker, was rejected or stopped blocks no other", async () => {
  await limit("project", "a", 1);
  await due("a1", "a");
  await due("a2", "a");
  expect(await sent()).toEqual(["a1"]);
  await enrol(database, "w");
  await database.queryOnce({ text: "update materia.casts set status = 'running', owner = 'w' where cast_id = 'a1'" });
  expect(await sent()).toEqual([]);
  await database.queryOnce({ text: "update materia.casts set owner = null where cast_id = 'a1'" });
  expect(await sent()).toEqual(["a2"]);
});

it("[B60] a worker sends to its own queues only, so a queue without a worker uses no slot", async () => {
  await due("a1", "a");
  expect(await sent(["night"])).toEqual([]);
  expect(await sent(["night", "casts"])).toEqual(["a1"]);
});

it("[B22] a cast uses the providers that its agents name, or that the worker chooses", () => {
  const graph = graphOf(
    {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "One", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Two", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": { materia: "Three" },
      },
    },
    { One: { prompt: "1", model: "acme/one" }, Two: { prompt: "2", model: "other/two" } },
  );
  const { file } = planCast(graph, { request: "", cwd: "/" });
  expect(providersOf(file)).toEqual(["acme", "default", "other"]);
  expect(providersOf({ ...file, model: "third/x" })).toEqual(["third"]);
  expect(providersOf({ ...file, rehearsal: "r.json" })).toEqual([]);
});

it("[B22, B59, B71] limits are shown and set, and blocked casts are reported with place and reason everywhere", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  const set = await place.materia("fleet", "limits", "set", "project", "p", "1", "--json");
  expect(JSON.parse(set.stdout)).toEqual([
    { kind: "project", name: "p", most: 1, busy: 0 },
    // Of one member, which nobody set.
    { kind: "waiting", name: "", most: 1_000, busy: 0 },
    { kind: "bytes", name: "", most: 10_000_000_000, busy: 0 },
  ]);
  const first = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  const [second, third] = [await submitted(place, "Quick"), await submitted(place, "Quick")];
  const shown = await place.materia("status", third);
  expect(shown.stdout).toContain("place 2 of 2 of its project");
  expect(shown.stdout).toContain("Limit: project p may run 1 at once.");
  expect(JSON.parse((await place.materia("status", second, "--json")).stdout)).toMatchObject({
    queued: { place: 1, waiting: 2, held: [{ kind: "project", name: "p", most: 1 }] },
  });
  expect((await place.materia("fleet", "limits")).stdout).toContain("project p  1 of at most 1 at once");
  const why = { kind: "limit", limits: [{ kind: "project", name: "p", most: 1 }] };
  const listed = JSON.parse((await place.materia("casts", "--json")).stdout) as { castId: string; waits?: object }[];
  const waits = listed.flatMap((cast) => (cast.waits ? [[cast.castId, cast.waits]] : []));
  expect(Object.fromEntries(waits)).toEqual({ [second]: why, [third]: why });
  expect((await place.materia("casts")).stdout).toContain(
    "2 casts waiting: held back by a limit: 1 at once of project p",
  );
  // Once, not at every look.
  await until(() => worker.waiting.length > 0);
  const [printed, io] = printing();
  const { end } = await looker(
    place,
    third,
    openProgress(io, {}, () => expect.fail("nothing is drawn")),
  );
  await until(() => printed.length > 0);
  letGo(place);
  for (const castId of [first, second, third]) await until(async () => (await statusOn(place, castId)) === "completed");
  expect(await end).toMatchObject({ ok: true, value: { kind: "ended" } });
  expect(printed).toEqual(["Waits for a worker: held back by a limit: 1 at once of project p\n"]);
  expect(worker.waiting).toMatchObject([{ queue: "casts", why }]);
  expect((await place.materia("fleet", "limits", "unset", "project", "p")).stdout).toContain("No limit is set");
  expect((await place.materia("fleet", "limits", "unset", "project", "p")).stdout).toContain("There was no limit");
});

it("[B61] members see limits and cannot change them", async () => {
  const name = `m_${Math.random().toString(36).slice(2, 8)}`;
  await database.queryOnce({ text: `create role ${name} login password 'x' in role materia_member` });
  const cwd = newPlace();
  put(userFolder(cwd), {
    "materia.json": { fleet: { profiles: { f: { url: url.replace(/\/\/[^@]*@/, `//${name}:x@`) } } } },
  });
  expect((await run(["fleet", "limits", "--on", "f"], { cwd })).code).toBe(0);
  expect((await run(["fleet", "limits", "set", "all", "1", "--on", "f"], { cwd })).stderr).toContain("database_rights");
});

it.each([
  [["set", "projekt", "x", "1"], "unknown_word"],
  [["sett", "all", "1"], "did you mean"],
  [["set", "project"], "missing_word"],
  [["set", "project", "x"], "bad_number"],
  [["set", "all", "many"], "bad_number"],
  [["set", "all", "-1"], "bad_number"],
  [["unset", "all", "3"], "bad_number"],
])("[B22] fleet limits %j is refused", (words, code) => {
  const refused = parseArgv(["fleet", "limits", ...words, "--on", "f"]);
  expect(JSON.stringify(refused)).toContain(code);
});
