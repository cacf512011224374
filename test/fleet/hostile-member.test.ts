import { beforeAll, expect, it, onTestFinished } from "vitest";
import { sendDueDispatches, submitDueSchedules } from "../../src/shell/fleet/worker/send-due.ts";
import { requeueOrphanedParked, requeueAbandoned } from "../../src/shell/fleet/worker/dispatch-state.ts";
import { HEARTBEAT_TIMING, openWorkerSession } from "../../src/shell/fleet/worker/worker-registry.ts";
import {
  castFileText,
  openNeighbours,
  outcomeOf,
  submission,
  type Neighbours,
  type SubmissionValues,
} from "../harness/fleet/members.ts";
import { closing, enrol } from "../harness/fleet/postgres.ts";
import { castFile } from "../harness/store/store-casts.ts";

let fleet: Neighbours;
const VICTIM = "b-1";
const OWN = "r-1";
const HEX = "a".repeat(40);

beforeAll(async () => {
  fleet = await openNeighbours();
  await fleet.ben.queryOnce(submission(VICTIM, "blue", { key: "secret-key" }));
  await fleet.ann.queryOnce(submission(OWN, "red"));
});

const asAnn = (text: string, values: readonly unknown[] = []) => outcomeOf(fleet.ann.queryOnce({ text, values }));

interface NameRow {
  readonly name: string;
}

async function relations(kinds: string): Promise<readonly string[]> {
  const rows = await fleet.admin.queryOnce<NameRow>({
    text: `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('materia', 'dbos') and c.relkind = any($1::"char"[]) order by 1`,
    values: [kinds.split("")],
  });
  return rows.map(({ name }) => name);
}

it("[B80] a member changes and locks no table, of the fleet or of its queues", async () => {
  expect((await relations("rpv")).length).toBeGreaterThan(12);
  const rights = await fleet.admin.queryOnce<NameRow>({
    text: `select format('%s %I.%I', way, nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace,
        unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) way
      where nspname in ('materia', 'dbos') and relkind in ('r', 'p', 'v') and (has_table_privilege($1, c.oid, way)
        or case when way in ('insert', 'update', 'references') then has_any_column_privilege($1, c.oid, way) end)`,
    values: [fleet.names.ann],
  });
  expect(rights).toEqual([]);
  const tried = [
    "insert into materia.casts default values",
    "update materia.casts set priority = 0",
    "delete from materia.packs",
    "do $$ begin lock table materia.casts in row share mode; end $$",
    "do $$ begin lock table materia.locks in access exclusive mode; end $$",
    "select from materia.locks for update",
    "select from materia.casts for update",
    "select from materia.workers for key share",
    "alter table materia.casts add column x int",
    "copy materia.casts from program 'true'",
  ];
  for (const text of tried) expect([text, await asAnn(text)]).toEqual([text, "42501"]);
  expect(await asAnn("select from materia.casts")).toBe("allowed");
});

it("[B19] a member sees no row of another project, and nothing of the queues", async () => {
  const seen = await fleet.ann.queryOnce<NameRow>({
    text: `select cast_id as name from materia.casts union select cast_id from materia.events union select cast_id from materia.packs
      union select cast_id from materia.artifacts union select cast_id from materia.live union select project from materia.schedules`,
  });
  expect(seen).toEqual([{ name: OWN }]);
  expect(await fleet.ann.queryOnce({ text: "select project from materia.members" })).toEqual([{ project: "red" }]);
  for (const table of (await relations("rpv")).filter((name) => name.startsWith("dbos.")))
    expect([table, await asAnn(`select from ${table}`)]).toEqual([table, "42501"]);
  for (const text of [
    "select * from materia.queue_place($1)",
    "select from materia.casts where key = 'secret-key' and $1 <> ''",
  ])
    expect(await fleet.ann.queryOnce({ text, values: [VICTIM] })).toEqual([]);
  const asked = [
    `select materia.ask_abort('${VICTIM}') as said`,
    `select materia.tell_cast('${VICTIM}', 0, '{}', true) as said`,
  ];
  for (const text of asked) expect(await fleet.ann.queryOnce({ text })).toEqual([{ said: "unknown" }]);
  expect(await asAnn("select materia.remove_schedule(1, 'blue')")).toBe("allowed");
});

it("[B80] sequences, schemas and other objects are closed to a member, and each function pins its search path", async () => {
  for (const sequence of await relations("S")) {
    expect(await asAnn(`select nextval('${sequence}')`)).toBe("42501");
    expect(await asAnn(`select setval('${sequence}', 1)`)).toBe("42501");
  }
  for (const text of [
    "create table materia.x (a int)",
    "create function materia.x() returns int language sql as 'select 1'",
    "create schema x",
    "create function dbos.x() returns int language sql as 'select 1'",
    "create policy x on materia.casts using (true)",
    "alter function materia.may(text) owner to session_user",
    "set role materia_worker",
    "set session authorization materia",
    "grant materia_worker to session_user",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename <> session_user and pid <> pg_backend_pid() and datname = current_database()",
    "select pg_read_file('/etc/passwd')",
    "create extension dblink",
  ])
    expect([text, await asAnn(text)]).not.toEqual([text, "allowed"]);
  const functions = await fleet.admin.queryOnce<{ name: string; pinned: boolean; member: boolean; definer: boolean }>({
    text: `select proname as name, prosecdef as definer, has_function_privilege('materia_member', p.oid, 'execute') as member,
        coalesce(array_to_string(proconfig, ' ') ~ 'search_path=(materia|pg_catalog), pg_temp', false) as pinned
      from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname = 'materia' order by 1`,
  });
  expect(functions.filter(({ definer, pinned }) => definer && !pinned)).toEqual([]);
  expect(functions.flatMap(({ name, member }) => (member ? [name] : []))).toEqual([
    "add_schedule",
    "ask_abort",
    "ask_wake",
    "is_bound_by",
    "is_driven",
    "is_under_way",
    "limit_standing",
    "may",
    "queue_place",
    "remove_schedule",
    "submit_cast",
    "tell_cast",
  ]);
});

it("[B80] temporary objects of a member answer for nothing, and the program's own sessions search nowhere else", async () => {
  const client = await fleet.ann.pool.connect();
  try {
    await client.query(`create temp table members (project text, member text); insert into members values ('blue', session_user);
      create temp table limits (kind text, name text, most bigint); create temp table casts (like materia.casts);
      create function pg_temp.may(text) returns boolean language sql as 'select true';
      create function pg_temp.may_submit(text, text) returns boolean language sql as 'select true';
      create function pg_temp.refuse(text) returns void language sql as '';
      set search_path = pg_temp, materia, pg_catalog`);
    const { text, values = [] } = submission("r-temp", "blue");
    expect(await outcomeOf(client.query(text, [...values]))).toBe("42501");
    expect((await client.query(`select materia.ask_abort('${VICTIM}') as said`)).rows).toEqual([{ said: "unknown" }]);
  } finally {
    client.release(true);
  }
  expect(await fleet.worker.queryOnce({ text: "show search_path" })).toEqual([{ search_path: "pg_catalog" }]);
});

const SOURCE = { remote: null, branch: null, below: "" };
const packed = (change: object = {}): Partial<SubmissionValues> => ({
  source: JSON.stringify({ ...SOURCE, ...change }),
  head: HEX,
  ckpt: HEX,
  pack: Buffer.from("PACK"),
});

it.each<[what: string, change: Partial<SubmissionValues>, code: string]>([
  ["somebody else's project", { project: "blue" }, "42501"],
  ["an unknown project", { project: "green" }, "42501"],
  ["somebody else's id", { id: VICTIM, file: castFileText(VICTIM) }, "23505"],
  ["the id of an item", { id: "b-1_1_WI-1", file: castFileText("b-1_1_WI-1") }, "22023"],
  ["an id that is a path", { id: "../x", file: castFileText("../x") }, "22023"],
  ["no id", { id: null as never }, "22023"],
  ["a file of another cast", { file: castFileText(VICTIM) }, "22023"],
  ["a file of an item", { file: castFileText("h", { window: { parent: VICTIM } }) }, "22023"],
  ["a file that is no JSON", { file: "{" }, "22P02"],
  ["a file that is a list", { file: "[]" }, "22023"],
  ["a file without a request", { file: castFileText("h", { request: 1 }) }, "22023"],
  ["a time that is none", { file: castFileText("h", { startedAt: "soon" }) }, "22023"],
  ["a file that is too large", { file: castFileText("h", { request: "x".repeat(67_108_864) }) }, "22023"],
  ["a file with another name", { brings: JSON.stringify({ "../../x": "y" }) }, "22023"],
  ["replies that are no text", { brings: JSON.stringify({ "rehearsal.json": 1 }) }, "22023"],
  ["skills that are no text", { brings: JSON.stringify({ "skills.json": {} }) }, "22023"],
  ["a rehearsal without its replies", { file: castFileText("h", { rehearsal: "h/rehearsal.json" }) }, "22023"],
  [
    "the replies of another cast",
    { file: castFileText("h", { rehearsal: `${VICTIM}/rehearsal.json` }), brings: `{"rehearsal.json":"{}"}` },
    "22023",
  ],
  ["materia that are no materia", { file: castFileText("h", { graph: { materia: [1] } }) }, "22023"],
  ["a priority below all others", { priority: -1 }, "22023"],
  ["a priority above all numbers", { priority: 2_000_000_000 }, "22023"],
  ["a priority that is none", { priority: "x" }, "22P02"],
  ["a queue without a name", { queue: "" }, "22023"],
  ["a long key", { key: "x".repeat(1_001) }, "22023"],
  ["too many providers", { providers: Array.from({ length: 1_001 }, () => "x") }, "22023"],
  ["an option as the repository", packed({ remote: "--upload-pack=x" }), "22023"],
  ["a program as the repository", packed({ remote: "ext::sh" }), "22023"],
  ["an option as the branch", packed({ branch: "--x" }), "22023"],
  ["a folder outside", packed({ below: "a/../../b" }), "22023"],
  ["another key of the source", packed({ more: 1 }), "22023"],
  ["a source of another type", { source: "[1]" }, "22023"],
  ["an option as the head", { ...packed(), head: "--stdin" }, "22023"],
  ["an option as the checkpoint", { ...packed(), ckpt: "--index-output=/x" }, "22023"],
  ["half a pack", { ...packed(), head: null }, "22023"],
])("[B80] a member cannot submit %s", async (_what, change, code) => {
  expect(await outcomeOf(fleet.ann.queryOnce(submission("h", "red", change)))).toBe(code);
});

it("[B80] a member submits only as that member, and cannot say what others read of it", async () => {
  await fleet.ann.queryOnce(submission("r-2", "red", { ...packed(), person: fleet.names.ben }));
  const text =
    "select submitted_by, summary ->> 'castId' as id, owner, seq, status, bytes > 0 as counted from materia.casts where cast_id = 'r-2'";
  expect(await fleet.ann.queryOnce({ text })).toEqual([
    { submitted_by: fleet.names.ann, id: "r-2", owner: null, seq: 0, status: "queued", counted: true },
  ]);
});

it("[B22] a member hides no provider from its limit", async () => {
  const materia = {
    A: { type: "agent", model: "acme/x" },
    B: { type: "agent" },
    C: { type: "utility", model: "other/x" },
  };
  for (const [id, more] of Object.entries({ "r-hid": {}, "r-all": { model: "third/x" } }))
    await fleet.ann.queryOnce(submission(id, "red", { file: castFileText(id, { graph: { materia }, ...more }) }));
  const text = "select cast_id, providers from materia.casts where cast_id in ('r-hid', 'r-all') order by 1";
  expect(await fleet.ann.queryOnce({ text })).toEqual([
    { cast_id: "r-all", providers: ["third"] },
    { cast_id: "r-hid", providers: ["acme", "default"] },
  ]);
});

it.each([
  [["{}"], "refused"],
  [['{"type":"visit_completed","seq":1}'], "refused"],
  [['{"type":"cast_resumed","seq":7}'], "refused"],
  [[null], "refused"],
  [Array.from({ length: 101 }, (_, at) => `{"type":"cast_resumed","seq":${at + 1}}`), "refused"],
  [[`{"type":"person_answered","seq":1,"text":"${"x".repeat(17_000_000)}"}`], "refused"],
])("[B80] a member tells a cast nothing but a person's events, in order and bounded (%#)", async (said, answer) => {
  await fleet.admin.queryOnce({
    text: "update materia.casts set status = 'waiting' where cast_id = $1",
    values: [OWN],
  });
  const text = "select materia.tell_cast($1, 0, $2, true) as said";
  expect(await fleet.ann.queryOnce({ text, values: [OWN, said] })).toEqual([{ said: answer }]);
});

it("[B79] notifications tell no id to somebody who may not see the cast", async () => {
  const heard: string[] = [];
  const listener = await fleet.ann.openSession();
  onTestFinished(() => listener.end());
  listener.on("notification", ({ channel, payload }) => heard.push(`${channel} ${payload}`));
  for (const channel of ["materia", "materia_due", "materia_turns", "materia_budgets"])
    await listener.query(`listen ${channel}`);
  await fleet.ben.queryOnce(submission("b-told", "blue"));
  await fleet.ben.queryOnce({ text: "select materia.ask_abort('b-told')" });
  await expect.poll(async () => (await listener.query("select 1"), heard.length)).toBeGreaterThan(3);
  expect(heard.filter((text) => text.includes("b-told") || text.includes("blue"))).toEqual([]);
  const notice = heard.find((text) => text.startsWith("materia "))?.slice(8) ?? "";
  expect(notice).toMatch(/^[0-9a-f-]{36}$/);
  const text = "select cast_id from materia.casts where notice::text = $1";
  expect(await fleet.ann.queryOnce({ text, values: [notice] })).toEqual([]);
  expect(await fleet.ben.queryOnce({ text, values: [notice] })).toEqual([{ cast_id: "b-told" }]);
});

const ANYWHERE = { host: "here", pid: 1, started: "", version: "test", queues: ["casts"], concurrency: 1 };
const registration = (workerId: string) => ({ workerId, ...ANYWHERE });

it("[B81] no lock and no name of a member's session stops sending, heartbeats, evictions or requeues", async () => {
  const { admin, worker } = fleet;
  const pace = { ...HEARTBEAT_TIMING, newMs: 0 };
  const session = closing(await openWorkerSession(worker, registration("alive"), pace));
  await enrol(admin, "dead");
  await admin.queryOnce({
    text: "update materia.workers set seen_at = now() - interval '10 s' where worker_id = 'dead'",
  });
  await admin.queryOnce({
    text: "update materia.casts set status = 'running', owner = 'dead', parked_leg = leg, parked_by = 'dead' where cast_id in ($1, $2)",
    values: [OWN, VICTIM],
  });
  await admin.queryOnce({ text: "insert into materia.limits values ('all', '', 100)" });
  const [named] = await admin.queryOnce<NameRow>({ text: "select materia.session_name('dead') as name" });
  const hostile = await fleet.ann.openSession(named?.name);
  onTestFinished(() => hostile.end());
  await hostile.query(`begin; select pg_advisory_lock(key) from generate_series(7700, 7710) key;
    select pg_advisory_lock(key, n) from generate_series(7700, 7710) key, generate_series(0, 20) n;
    select pg_advisory_lock(7705, hashtext(cast_id)) from materia.casts; select materia.ask_abort('${OWN}')`);
  const sent: string[] = [];
  const dispatcher = {
    send: async (_client: unknown, { castId }: { readonly castId: string }) => void sent.push(castId),
  };
  await fleet.ben.queryOnce(submission("b-due", "blue"));
  onTestFinished(
    async () => void (await admin.queryOnce({ text: "delete from materia.casts where cast_id = 'b-due'" })),
  );
  expect(await session.heartbeat()).toBe(true);
  expect(await session.evictDead()).toEqual(["dead"]);
  await requeueOrphanedParked(worker);
  await requeueAbandoned(worker, { workerId: "alive", queues: ["casts"], againMs: 0 });
  let hasRun = false;
  await session.runExclusively(async () => void (hasRun = true));
  await sendDueDispatches(worker, dispatcher, ["casts"]);
  const [row] = await admin.queryOnce({
    text: "select status from materia.casts where cast_id = $1",
    values: [VICTIM],
  });
  expect([hasRun, sent.includes("b-due"), row, await session.heartbeat()]).toEqual([
    true,
    true,
    { status: "queued" },
    true,
  ]);
});

it("[B82] a member has limits of waiting casts and of bytes, which others do not share", async () => {
  const { admin, ann, ben } = fleet;
  const limit = (kind: string, most: number) =>
    admin.queryOnce({
      text: "insert into materia.limits values ($1, '', $2) on conflict (kind, name) do update set most = $2",
      values: [kind, most],
    });
  await limit("waiting", 3);
  const codes = [];
  for (const id of ["l-1", "l-2", "l-3", "l-4", "l-5"])
    codes.push(await outcomeOf(ann.queryOnce(submission(id, "red"))));
  expect(codes.filter((code) => code === "54000").length).toBeGreaterThan(1);
  const schedule = (as: typeof ann, id: string) =>
    as.queryOnce({
      text: "select materia.add_schedule('red', 'casts', 0, '* * * * *', 'UTC', $1, '{}', null, null, null, null, now())",
      values: [castFileText(id)],
    });
  expect(await outcomeOf(schedule(ann, "s-1"))).toBe("54000");
  expect(await outcomeOf(schedule(ben, "s-1"))).toBe("42501");
  expect(await outcomeOf(ben.queryOnce(submission("b-more", "blue")))).toBe("allowed");
  await limit("waiting", 1_000);
  await limit("bytes", 20_000);
  expect(
    await outcomeOf(
      ann.queryOnce(submission("l-6", "red", { file: castFileText("l-6", { request: "x".repeat(30_000) }) })),
    ),
  ).toBe("54000");
  expect(await outcomeOf(ben.queryOnce(submission("b-most", "blue")))).toBe("allowed");
  await limit("bytes", 1_000_000);
});

it("[B81, B84] a member's open transaction stops only that member's schedules", async () => {
  const { admin, ann, ben, worker } = fleet;
  await admin.queryOnce({ text: "delete from materia.schedules" });
  await admin.queryOnce({ text: "delete from materia.members where project = 'blue'" });
  await admin.queryOnce({ text: "insert into materia.members values ('blue', $1)", values: [fleet.names.ben] });
  const add = (as: typeof ann, project: string, ago: string) =>
    as.queryOnce({
      text: `select materia.add_schedule($1, 'casts', 0, '* * * * *', 'UTC', $2, '{}', null, null, null, null, now() - interval '${ago}')`,
      values: [project, JSON.stringify(castFile(`s-${project}`))],
    });
  await add(ann, "red", "2 h");
  for (let more = 0; more < 12; more += 1) await add(ann, "red", "2 h");
  await add(ben, "blue", "1 h");
  const hostile = await ann.openSession();
  onTestFinished(() => hostile.end());
  const { text, values = [] } = submission("r-open", "red");
  await hostile.query("begin");
  await hostile.query(text, [...values]);
  await submitDueSchedules(worker);
  const look = "select distinct project, last_cast is not null as done from materia.schedules order by 1";
  expect(await admin.queryOnce({ text: look })).toEqual([
    { project: "blue", done: true },
    { project: "red", done: false },
  ]);
  // The turn of the member's own schedule is not lost.
  await hostile.query("rollback");
  await admin.queryOnce({
    text: "update materia.schedules set next_at = now() where next_at < now() + interval '10 s'",
  });
  await submitDueSchedules(worker);
  expect(await admin.queryOnce({ text: look })).toContainEqual({ project: "red", done: true });
});

it("[B84] planted schedules: one that cannot be submitted stops no other, and one of a former member submits nothing", async () => {
  const { admin, ann, ben, worker, names } = fleet;
  await admin.queryOnce({ text: "delete from materia.schedules" });
  const add = (as: typeof ann, project: string, id: string, cron = "* * * * *") =>
    as.queryOnce({
      text: "select materia.add_schedule($1, 'casts', 0, $2, 'UTC', $3, '{}', null, null, null, null, now() - interval '1 h')",
      values: [project, cron, castFileText(id)],
    });
  await add(ann, "red", "s-broken");
  await add(ann, "red", "s-cron", "* * * * * * nonsense");
  await add(ben, "blue", "s-left");
  await admin.queryOnce({ text: "delete from materia.members where member = $1", values: [names.ben] });
  // As if it had been stored before the database checked it.
  await admin.queryOnce({ text: "update materia.schedules set priority = -5 where cron like '%nonsense'" });
  expect(await submitDueSchedules(worker)).toBe(3);
  expect(await submitDueSchedules(worker)).toBe(0);
  const problems = await admin.queryOnce({ text: "select last_cast, problem from materia.schedules order by id" });
  expect(problems).toEqual([
    { last_cast: null, problem: expect.stringContaining("the cast file is invalid") },
    { last_cast: null, problem: expect.stringContaining("the cast file is invalid") },
    { last_cast: null, problem: `${names.ben} is no longer a member of project blue` },
  ]);
});
