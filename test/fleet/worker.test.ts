import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import {
  eventsOn,
  fileOf,
  fleetPlace,
  isWaiting,
  letGo,
  statusOn,
  submitted,
  workersOf,
} from "../harness/fleet/fleet-place.ts";
import { silence, unheardOf } from "../harness/fleet/silence.ts";
import { until } from "../harness/fleet/start-worker.ts";

const completions = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.flatMap((event) => (event.type === "visit_completed" && "socket" in event ? [String(event.socket)] : []));

/** The first leg that is taken from a queue belongs to its worker, which is not told: as when the connection breaks behind the commit. */
const LOST_ANSWER = `
create table public.lost_answers (leg text);
create function public.lose_answer() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 or exists (select from public.lost_answers) then return new; end if;
  insert into public.lost_answers values (new.workflow_uuid);
  update dbos.workflow_status set status = new.status, executor_id = new.executor_id, owner_xid = new.owner_xid
    where workflow_uuid = new.workflow_uuid;
  return null;
end $$;
create trigger lose_answer before update on dbos.workflow_status for each row when (new.status = 'PENDING') execute function public.lose_answer()`;

/** As by a worker that had it before and was given up: it hands it back after the next one was given its leg. */
const HANDED_ON = `
create table public.handed_on (cast_id text);
create function public.hand_on() returns trigger language plpgsql as $$
begin
  if exists (select from public.handed_on) then return new; end if;
  insert into public.handed_on values (new.cast_id);
  new.leg := old.leg + 1;
  return new;
end $$;
create trigger hand_on before update on materia.casts for each row when (new.tries > old.tries) execute function public.hand_on()`;

it("[B9, B10, B39] a working tree is submitted with uncommitted work, followed live, and taken as a branch", async () => {
  const place = await fleetPlace();
  writeFileSync(join(place.cwd, "uncommitted.txt"), "mine\n");
  await place.worker();
  const ran = await place.materia("cast", "--quiet", place.gate);
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/^completed \S+\n$/)]);
  const listed = await place.materia("casts", "--json");
  const [cast] = JSON.parse(listed.stdout) as { castId: string; status: string; visits: number }[];
  expect(cast).toMatchObject({ status: "completed", visits: 2 });
  // Nothing of it has been done here.
  expect(git(place.cwd, "status", "--short")).toBe("?? uncommitted.txt");
  expect(git(place.cwd, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  expect((await place.materia("take", "last")).code).toBe(0);
  const branch = `materia/${cast?.castId}`;
  expect(fileOf(place.cwd, branch, "work.log")).toBe("Socket-1\nSocket-2");
  expect(fileOf(place.cwd, branch, "uncommitted.txt")).toBe("mine");
  expect(git(place.cwd, "status", "--short")).toBe("?? uncommitted.txt");
});

it("[B55, B57, B28] a killed worker is evicted, and another continues with its files; no visit completes twice", async () => {
  const place = await fleetPlace();
  const first = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  first.kill("SIGKILL");
  await first.ended;
  const left = join(dirname(place.cwd), "work", first.id);
  expect(existsSync(left)).toBe(true);
  // After any time without a worker.
  await place.database.query({ text: "update materia.workers set seen_at = now() - interval '3 days'" });
  const second = await place.worker();
  letGo(place);
  await until(async () => (await statusOn(place, castId)) === "completed");
  const events = await eventsOn(place, castId);
  expect(completions(events)).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
  expect(events.filter(({ type }) => type === "cast_resumed")).toMatchObject([
    { by: `worker ${second.id}`, worker: second.id },
  ]);
  expect(events[0]).toMatchObject({ type: "cast_started", worker: first.id });
  expect((await place.materia("take", castId)).code).toBe(0);
  expect(fileOf(place.cwd, `materia/${castId}`, "work.log")).toBe("Socket-1\nSocket-2\nSocket-3");
  // A worker that starts on its machine removes its folder.
  await place.worker();
  await until(() => !existsSync(left));
});

it("[B48] a draining worker requeues its cast at the end of a visit, and exits", async () => {
  const place = await fleetPlace();
  const first = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  first.kill("SIGTERM");
  await until(async () => (await workersOf(place)).every(({ state }) => state === "draining"));
  letGo(place);
  expect(await first.ended).toBe(0);
  expect(first.said.at(-1)).toMatchObject({ castId, leg: 1, how: "handed back" });
  expect(await statusOn(place, castId)).toBe("queued");
  expect(completions(await eventsOn(place, castId))).toEqual(["Socket-1", "Socket-2"]);
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  expect(completions(await eventsOn(place, castId))).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
});

it("[B57] an evicted worker exits with 75", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  await place.database.query({ text: "update materia.workers set state = 'gone'" });
  expect(await worker.ended).toBe(75);
});

it("[B57] an evicted worker exits also when its casts are queued again", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  await place.database.query({ text: "update dbos.workflow_status set status = 'ENQUEUED'" });
  await place.database.query({ text: "update materia.workers set state = 'gone'" });
  expect(await worker.ended).toBe(75);
});

it("[B55] a cast that an evicted worker requeued is sent again", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  // As those do who give it up.
  await place.database.query({
    text: "with w as (update materia.workers set state = 'gone') update materia.casts set status = 'queued'",
  });
  expect(await worker.ended).toBe(75);
  letGo(place);
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
});

it("[B32] a dispatch whose assignment was lost is requeued by its live worker", async () => {
  const place = await fleetPlace();
  await place.database.query({ text: LOST_ANSWER });
  await place.worker();
  const castId = await submitted(place, "Quick");
  await until(async () => (await statusOn(place, castId)) === "completed");
  const [row] = await place.database.query<{ lost: number }>({
    text: "select count(*)::int as lost from public.lost_answers",
  });
  expect(row).toEqual({ lost: 1 });
  expect(completions(await eventsOn(place, castId))).toEqual(["Socket-1", "Socket-2"]);
});

it("[B58] a worker releases a cast when a newer dispatch exists", async () => {
  const place = await fleetPlace();
  await place.database.query({ text: HANDED_ON });
  const first = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  await until(() => first.said.some(({ leg, how }) => leg === 1 && how === "over already"));
  first.kill("SIGTERM");
  await until(async () => (await workersOf(place)).every(({ state }) => state === "draining"));
  letGo(place);
  expect(await first.ended).toBe(0);
  expect(first.said.at(-1)).toMatchObject({ leg: 2, how: "handed back" });
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  expect(completions(await eventsOn(place, castId))).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
});

it("[B15] a cast over which three workers died without a completed visit fails, and can be resumed", async () => {
  const place = await fleetPlace();
  const castId = await submitted(place, "Quick");
  await place.database.query({ text: "update materia.casts set tries = 3" });
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "failed");
  expect((await eventsOn(place, castId)).at(-1)).toMatchObject({
    type: "cast_ended",
    reason: expect.stringContaining("3 workers died"),
  });
  const again = await place.materia("recast", castId, "--quiet");
  expect([again.code, await statusOn(place, castId)]).toEqual([0, "completed"]);
});

it("[B16] files that cannot be fetched fail the cast with the reason", async () => {
  const place = await fleetPlace();
  const castId = await submitted(place, "Quick");
  await place.database.query({ text: "update materia.packs set pack = overlay(pack placing 'xxxx'::bytea from 40)" });
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "failed");
  expect((await eventsOn(place, castId)).at(-1)).toMatchObject({
    reason: expect.stringContaining("pack 0 of its files is damaged"),
  });
});

it("[B42] a waiting cast occupies no worker; of several answers at once one is taken", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  const asked = await place.materia("cast", "--loadout", "Asking", "--quiet", place.gate);
  expect(asked.code).toBe(4);
  const [cast] = JSON.parse((await place.materia("casts", "--json")).stdout) as { castId: string; status: string }[];
  const castId = cast?.castId ?? "";
  expect(cast?.status).toBe("waiting");
  await until(() => worker.said.some(({ how }) => how === "waiting"));
  const answers = await Promise.all([1, 2, 3].map(() => place.materiaBeside("continue", castId, "--detach")));
  expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(answers.filter(({ code }) => code === 2)).toHaveLength(2);
  await until(async () => (await statusOn(place, castId)) === "completed");
  const events = await eventsOn(place, castId);
  expect(events.filter(({ type }) => type === "person_judged")).toHaveLength(1);
});

it("[B20] abort stops a running cast, and a queued one when a worker claims it", async () => {
  const place = await fleetPlace();
  const queued = await submitted(place, "Quick");
  expect((await place.materia("abort", queued)).code).toBe(0);
  expect(await statusOn(place, queued)).toBe("queued");
  await place.worker();
  await until(async () => (await statusOn(place, queued)) === "aborted");
  const running = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  expect((await place.materia("abort", running)).code).toBe(0);
  await until(async () => (await statusOn(place, running)) === "aborted");
  expect(await place.materia("abort", running)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cast_finished"),
  });
});

it("[B18] fleet workers lists workers with their casts, and the queue", async () => {
  const place = await fleetPlace();
  const { id } = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  const shown = await place.materia("fleet", "workers", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({
    queued: 0,
    workers: [{ worker: id, state: "up", casts: [castId], concurrency: 2 }],
  });
  letGo(place);
  await until(async () => (await statusOn(place, castId)) === "completed");
});

it("[B16] a cast whose model a worker lacks stays queued with the reason, and is offered again later and to new workers", async () => {
  const place = await fleetPlace();
  const first = await place.worker();
  const castId = await submitted(place, "Thinking");
  const refused = ({ said }: typeof first): number => said.filter(({ how }) => how === "not begun").length;
  await until(() => refused(first) === 1);
  expect(await statusOn(place, castId)).toBe("queued");
  const shown = await place.materia("status", castId);
  expect(shown.stdout).toContain("No worker could begin it:");
  const refusals = async (): Promise<unknown> =>
    (await place.database.query({ text: "select refused, tries from materia.casts" }))[0];
  expect(await refusals()).toEqual({ refused: [first.id], tries: 0 });
  // As if a minute had passed.
  await place.database.query({ text: "update materia.casts set refused_at = now() - interval '2 minutes'" });
  await until(() => refused(first) === 2);
  const second = await place.worker();
  await until(() => refused(second) === 1);
  expect(await refusals()).toMatchObject({ refused: expect.arrayContaining([first.id, second.id]) });
});

it("[B48] a draining worker sends heartbeats until it has requeued", async () => {
  const place = await fleetPlace();
  const first = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  await place.worker();
  first.kill("SIGTERM");
  await until(async () => (await workersOf(place)).some(({ state }) => state === "draining"));
  // Unheard for nearly as long as one may be, twice.
  for (const seconds of [40, 50]) {
    await silence(place.database, first.id, seconds);
    await until(async () => (await unheardOf(place.database, first.id)) < seconds);
  }
  letGo(place);
  expect(await first.ended).toBe(0);
  expect(first.said.at(-1)).toMatchObject({ castId, how: "handed back" });
  await until(async () => (await statusOn(place, castId)) === "completed");
});

it("[B36] files above the size limit fail the cast with the reason, before the visit counts", async () => {
  const place = await fleetPlace();
  await place.worker({ profile: { maxCheckpointBytes: 100 } });
  const castId = await submitted(place, "Quick");
  await until(async () => (await statusOn(place, castId)) === "failed");
  const events = await eventsOn(place, castId);
  expect(completions(events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ reason: "its files cannot be kept: they are larger than 100 bytes" });
  expect((await place.materia("status", castId)).stdout).toContain("larger than 100 bytes");
});

it("[B17] diff shows the changes of a fleet's cast without its branch", async () => {
  const place = await fleetPlace();
  await place.worker();
  const castId = await submitted(place, "Quick");
  await until(async () => (await statusOn(place, castId)) === "completed");
  const shown = await place.materia("diff", castId, "--stat");
  expect(shown.stdout).toContain("work.log");
  expect(git(place.cwd, "branch", "--list")).toBe("* main");
});
