import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { NO_USAGE, type Usage } from "../../src/core/cast/state/usage.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { createAdmission } from "../../src/shell/fleet/worker/remote-item-budget.ts";
import { createPackedCommits, itemCommits } from "../../src/shell/fleet/worker/worker-trees.ts";
import { closing, enrol, fleetDatabase } from "../harness/fleet/postgres.ts";

const PARENT = "20261116-100000-parent" as CastId; // as ids are made
const child = (n: number): CastId => `${PARENT}_1_WI-${n}` as CastId; // as ids of items are made
const tokens = (input: number): Usage => ({ ...NO_USAGE, input });

it("[B31] the cost of admitting a turn does not grow with finished items, and all usage counts", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  const worker = await enrol(database, "w");
  const share = { budget: { maxTokens: 1_000 }, usage: tokens(100), largest: NO_USAGE };
  await database.query({
    text: "insert into materia.casts (cast_id, project, file, summary, shared) values ($1, 'p', '{}', '{}', $2)",
    values: [PARENT, JSON.stringify({ 1: share })],
  });
  const add = (n: number, status: string, account: object | null): Promise<unknown> =>
    database.query({
      text: `insert into materia.casts (cast_id, project, parent, file, summary, status, epoch, owner, turn)
        values ($1, 'p', $2, '{}', '{}', $3, 1, $4, $5)`,
      values: [child(n), PARENT, status, status === "running" ? worker : null, account && JSON.stringify(account)],
    });
  const account = { fork: "1", spent: tokens(10), largest: tokens(10), used: NO_USAGE, epoch: null, isKnown: true };
  for (let n = 1; n <= 30; n += 1) await add(n, "completed", account);
  // A failed item may continue: then it reports its usage itself.
  await add(31, "failed", account);
  // Its end is not written yet.
  await add(32, "completed", { ...account, epoch: 1 });
  await add(33, "running", null);
  const budgets = { on: () => () => undefined, close: async () => undefined };
  const admit = createAdmission({ database, budgets, castId: child(33), parent: PARENT, fork: "1" });
  const state = { castId: child(33), usage: tokens(5), largest: NO_USAGE, item: null } as unknown as CastState; // all that is read of it
  const open = async (): Promise<readonly string[]> =>
    (
      await database.query<{ cast_id: string }>({
        text: "select cast_id from materia.casts where turn is not null order by cast_id",
      })
    ).map(({ cast_id: id }) => id);
  const never = new AbortController().signal;
  const used = 100 + 30 * 10 + 10 + 10 + 5;
  for (const spent of [used, used]) {
    const turn = await admit(state, never);
    expect(await open()).toEqual([child(31), child(32), child(33)]);
    expect([turn.isBudgetSpent(tokens(999 - spent)), turn.isBudgetSpent(tokens(1_000 - spent))]).toEqual([false, true]);
    turn.end();
  }
  const [row] = await database.query<{ share: object }>({
    text: "select shared -> '1' as share from materia.casts where cast_id = $1",
    values: [PARENT],
  });
  expect(row?.share).toEqual({ ...share, usage: tokens(400), largest: tokens(10), isKnown: true });
});

const event = (type: string, index: number, more: object): CastEvent => ({ type, index, ...more }) as CastEvent; // all that is read of it

it("[B50] the pack of the thousandth item excludes as few refs as that of the first", () => {
  const sent = createPackedCommits();
  const tell = (...events: readonly CastEvent[]): void => sent.add(events);
  tell(event("loop_forked", 0, { base: "base" }));
  expect(sent.all()).toEqual(["base"]);
  for (let index = 0; index < 1_000; index += 1) {
    tell(event("item_ended", index, { commit: `work ${index}` }));
    expect(sent.all()).toContain(`work ${index}`);
    tell(event("item_merged", index, { commit: `tip ${index}` }));
  }
  expect(sent.all()).toEqual(["tip 999"]);
  // A conflict and what mended it stay until they are merged or given up; nothing was done in the third.
  tell(event("item_conflicted", 1_000, { tree: "marks" }), event("item_ended", 1_000, { commit: "mended" }));
  tell(event("item_ended", 1_001, { commit: "done" }), event("item_ended", 1_002, { commit: null }));
  expect(sent.all()).toEqual(["tip 999", "marks", "mended", "done"]);
  tell(event("item_given_up", 1_000, {}));
  expect([sent.all(), sent.has("done"), sent.has("marks")]).toEqual([["tip 999", "done"], true, false]);
  for (let index = 2_000; index < 3_000; index += 1) tell(event("item_ended", index, { commit: `work ${index}` }));
  expect(sent.all().length).toBeLessThan(70);
  expect(itemCommits([event("item_merged", 0, { commit: "tip" }), event("item_ended", 1, { commit: null })])).toEqual([
    "tip",
  ]);
});
