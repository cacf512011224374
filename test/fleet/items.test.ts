import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { git } from "../git/scratch.ts";
import { put } from "../harness/cli.ts";
import { eventsOn, fileOf, statusOn, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { ended, hasBegun, itemsPlace } from "../harness/fleet/items-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

interface CastRow {
  readonly cast_id: string;
  readonly status: string;
  readonly owner: string | null;
  readonly project: string;
  readonly queue: string;
  readonly priority: number;
  readonly submitted_by: string;
}

const castRows = ({ database }: FleetPlace): Promise<readonly CastRow[]> =>
  database.query({
    text: "select cast_id, status, owner, project, queue, priority, submitted_by from materia.casts order by cast_id",
  });

const mergedIn = (events: readonly CastEvent[]): readonly number[] =>
  events.flatMap((event) => (event.type === "item_merged" ? [event.index] : []));

/** Every visit of the cast and of its items, as often as it was completed. */
async function completions(place: FleetPlace, castId: string): Promise<readonly string[]> {
  const all: string[] = [];
  for (const row of await castRows(place))
    for (const event of await eventsOn(place, row.cast_id))
      if (event.type === "visit_completed") all.push(`${row.cast_id.slice(castId.length)} ${event.socket}`);
  return all.toSorted();
}

const ownerOf = async (place: FleetPlace, castId: string): Promise<string | null> =>
  (await castRows(place)).find((row) => row.cast_id === castId)?.owner ?? null;

async function filesOf(place: FleetPlace, castId: string): Promise<readonly string[]> {
  expect((await place.materia("take", castId)).code).toBe(0);
  return git(place.cwd, "ls-tree", "--name-only", `materia/${castId}`)
    .split("\n")
    .filter((name) => name.endsWith(".txt"));
}

const DONE = [" Socket-1", " Socket-3", "_1_WI-1 Socket-2", "_1_WI-2 Socket-2", "_1_WI-3 Socket-2"];
const FILES = ["WI-1.txt", "WI-2.txt", "WI-3.txt", "first.txt", "last.txt"];

/** Three turns of agents in a row are not let in: the database says that it is about to stop. */
const BROKEN_THRICE = `
create sequence public.turns;
create function public.break_down() returns trigger language plpgsql as $$
begin
  if nextval('public.turns') <= 3 then raise exception 'terminating connection' using errcode = '57P01'; end if;
  return new;
end $$;
create trigger break_down before update on materia.casts for each row when (new.turn is distinct from old.turn) execute function public.break_down()`;

it("[B12, B49, B54] a worker with one slot runs all items, merges them in order and continues after them", async () => {
  const place = await itemsPlace(3);
  const { id } = await place.worker({ concurrency: 1 });
  const castId = await submitted(place, "Two");
  expect(await ended(place, castId)).toBe("completed");
  const events = await eventsOn(place, castId);
  expect(mergedIn(events)).toEqual([0, 1, 2]);
  expect(events.flatMap((event) => (event.type === "item_ended" ? [event.worker] : []))).toEqual([id, id, id]);
  // What is behind the items is another leg.
  expect(events[events.findIndex(({ type }) => type === "loop_joined") + 1]).toMatchObject({ type: "cast_resumed" });
  expect(await completions(place, castId)).toEqual(DONE);
  expect(await filesOf(place, castId)).toEqual(FILES);
  expect(git(place.cwd, "log", "--format=%s", `materia/${castId}`).split("\n").slice(1, 4)).toEqual([
    "item 3",
    "item 2",
    "item 1",
  ]);
  // What is worked on for another cast is not listed, and is found by its id.
  const listed = JSON.parse((await place.materia("casts", "--json")).stdout) as { castId: string }[];
  expect(listed.map((cast) => cast.castId)).toEqual([castId]);
  expect((await place.materia("show", `${castId}_1_WI-2`)).code).toBe(0);
  const shown = await place.materia("show", castId);
  expect(shown.stdout).toContain(`on ${id}`);
});

it("[B12, B47, B50] items run on several workers at once, and after a kill another continues the item", async () => {
  const place = await itemsPlace(3);
  place.gates("hold-WI-1", "hold-WI-2");
  const first = await place.worker({ concurrency: 1 });
  const ran = await place.materia("cast", "--loadout", "Two", "--priority", "4", "--detach", place.gate);
  const castId = ran.stdout.trim();
  const second = await place.worker({ concurrency: 1 });
  await until(() => hasBegun(place, "WI-1") && hasBegun(place, "WI-2"));
  const [parent, ...children] = await castRows(place);
  expect(parent).toMatchObject({ status: "running", priority: 4 });
  const { cast_id: _id, owner: _owner, status: _status, ...inherited } = parent ?? {};
  expect(children).toMatchObject([inherited, inherited]);
  expect(new Set(children.map(({ owner }) => owner))).toEqual(new Set([first.id, second.id]));
  const sent = await place.database.query({
    text: 'select priority from dbos.workflow_status order by workflow_uuid collate "C"',
  });
  // What has begun goes before what has not.
  expect(sent).toEqual([{ priority: 9 }, { priority: 8 }, { priority: 8 }]);
  const shown = (await place.materia("show", castId)).stdout;
  const told = JSON.parse((await place.materia("show", castId, "--json")).stdout) as {
    itemCasts: { worker: string }[];
  };
  expect(new Set(told.itemCasts.map(({ worker }) => worker))).toEqual(new Set([first.id, second.id]));
  expect(shown).not.toContain("its files");
  const [dying] = [first, second].filter(({ id }) => id !== parent?.owner);
  dying?.kill("SIGKILL");
  place.gates("go");
  expect(await ended(place, castId)).toBe("completed");
  expect(await completions(place, castId)).toEqual(DONE);
  expect(mergedIn(await eventsOn(place, castId))).toEqual([0, 1, 2]);
  expect(await filesOf(place, castId)).toEqual(FILES);
});

it("[B50, B55] after a kill of the parent's worker another merges the rest, and nothing twice", async () => {
  const place = await itemsPlace(3);
  place.gates("hold-WI-2", "hold-WI-3");
  const first = await place.worker({ concurrency: 1 });
  const castId = await submitted(place, "Two");
  await until(async () => (await ownerOf(place, castId)) === first.id);
  const second = await place.worker({ concurrency: 3 });
  await until(async () => mergedIn(await eventsOn(place, castId)).length === 1);
  await until(() => hasBegun(place, "WI-2") && hasBegun(place, "WI-3"));
  expect(await ownerOf(place, castId)).toBe(first.id);
  first.kill("SIGKILL");
  await until(async () => (await ownerOf(place, castId)) === second.id);
  place.gates("go");
  expect(await ended(place, castId)).toBe("completed");
  expect(await completions(place, castId)).toEqual(DONE);
  expect(mergedIn(await eventsOn(place, castId))).toEqual([0, 1, 2]);
  expect(await filesOf(place, castId)).toEqual(FILES);
});

it("[B48, B49] a draining worker requeues a parent with running items at once", async () => {
  const place = await itemsPlace(2);
  place.gates("hold-WI-1", "hold-WI-2");
  const first = await place.worker({ concurrency: 2 });
  const castId = await submitted(place, "Two");
  await until(() => hasBegun(place, "WI-1") && hasBegun(place, "WI-2"));
  first.kill("SIGTERM");
  await until(() => first.said.some((leg) => leg["castId"] === castId && leg["how"] === "handed back"));
  place.gates("go");
  expect(await first.ended).toBe(0);
  await place.worker();
  expect(await ended(place, castId)).toBe("completed");
  expect(await completions(place, castId)).toEqual(DONE.slice(0, 4));
});

it("[B51] after a conflict the item runs again as a new cast from the merged commit", async () => {
  const place = await itemsPlace(2);
  place.gates("shared");
  await place.worker({ concurrency: 2 });
  const castId = await submitted(place, "Two");
  expect(await ended(place, castId)).toBe("completed");
  const events = await eventsOn(place, castId);
  expect(events.filter(({ type }) => type === "item_conflicted")).toMatchObject([{ index: 1, files: ["shared.txt"] }]);
  expect(await statusOn(place, `${castId}_1_WI-2_2`)).toBe("completed");
  expect(mergedIn(events)).toEqual([0, 1]);
  await filesOf(place, castId);
  expect(fileOf(place.cwd, `materia/${castId}`, "shared.txt")).toBe("WI-1\nWI-2");
});

it("[B51] an abort ends the items first, on any worker; a recast continues each", async () => {
  const place = await itemsPlace(3);
  place.gates("hold-WI-1", "hold-WI-2");
  await place.worker({ concurrency: 1 });
  await place.worker({ concurrency: 1 });
  const castId = await submitted(place, "Two");
  await until(() => hasBegun(place, "WI-1") && hasBegun(place, "WI-2"));
  expect((await place.materia("abort", castId)).code).toBe(0);
  expect(await ended(place, castId)).toBe("aborted");
  expect((await castRows(place)).map(({ status }) => status)).toEqual(["aborted", "aborted", "aborted"]);
  expect(await place.materia("recast", `${castId}_1_WI-1`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("item_cast"),
  });
  place.gates("go");
  const again = await place.materia("recast", castId, "--quiet");
  expect([again.code, await statusOn(place, castId)]).toEqual([0, "completed"]);
  expect(await completions(place, castId)).toEqual(DONE);
  expect(await filesOf(place, castId)).toEqual(FILES);
});

it("[B31] items on several workers exceed the budget by at most one turn; a raised one reaches them", async () => {
  const place = await itemsPlace(6);
  const reply = { text: "Done.", delayMs: 30, usage: { input: 60, output: 40 } };
  put(place.cwd, { "replies.json": { replies: { Agent: [reply] }, onEmpty: "repeat-last" } });
  git(place.cwd, "add", "-A");
  git(place.cwd, "commit", "-qm", "replies");
  await place.worker({ concurrency: 2 });
  await place.worker({ concurrency: 2 });
  const words = ["--loadout", "Agents", "--rehearse", "replies.json", "--budget", "250", "--detach", place.gate];
  const castId = (await place.materia("cast", ...words)).stdout.trim();
  expect(await ended(place, castId)).toBe("failed");
  const spent = async (): Promise<number> => {
    const shown = JSON.parse((await place.materia("show", castId, "--json")).stdout) as { tokens: number };
    return shown.tokens;
  };
  const first = await spent();
  expect(first).toBeGreaterThanOrEqual(250);
  expect(first).toBeLessThanOrEqual(350);
  const again = await place.materia("recast", castId, "--budget", "5000", "--quiet");
  expect([again.code, await statusOn(place, castId)]).toEqual([0, "completed"]);
  expect(await spent()).toBe(600);
});

it("[B15] repeated database failures do not count as dead workers", async () => {
  const place = await itemsPlace(1);
  put(place.cwd, { "replies.json": { replies: { Agent: [{ text: "Done." }] } } });
  git(place.cwd, "add", "-A");
  git(place.cwd, "commit", "-qm", "replies");
  await place.database.query({ text: BROKEN_THRICE });
  await place.worker();
  const words = ["--loadout", "Agents", "--rehearse", "replies.json", "--detach", place.gate];
  const castId = (await place.materia("cast", ...words)).stdout.trim();
  expect(await ended(place, castId)).toBe("completed");
  const [row] = await place.database.query<{ turns: number }>({
    text: "select last_value::int as turns from public.turns",
  });
  expect(row?.turns).toBeGreaterThan(3);
});

it("[B12, B22, B49] limits apply to items, and their waiting parent does not count", async () => {
  const place = await itemsPlace(3);
  place.gates("hold-WI-1");
  await place.database.query({ text: "insert into materia.limits values ('project', 'p', 1)" });
  await place.worker({ concurrency: 2 });
  const castId = await submitted(place, "Two");
  await until(() => hasBegun(place, "WI-1"));
  const place2 = await place.materia("status", `${castId}_1_WI-2`);
  expect(place2.stdout).toContain("project");
  expect(hasBegun(place, "WI-2")).toBe(false);
  place.gates("go");
  expect(await ended(place, castId)).toBe("completed");
  expect(await completions(place, castId)).toEqual(DONE);
});

it("[B51] items that cannot run at once run one by one, with the reason", async () => {
  const place = await itemsPlace(2);
  put(place.cwd, { "uncommitted.txt": "mine\n" });
  await place.worker();
  const castId = await submitted(place, "Two");
  expect(await ended(place, castId)).toBe("completed");
  expect((await eventsOn(place, castId)).find(({ type }) => type === "loop_forked")).toMatchObject({
    base: null,
    reason: "there are uncommitted changes: uncommitted.txt",
  });
  expect(await castRows(place)).toHaveLength(1);
});
