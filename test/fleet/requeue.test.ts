import { expect, it } from "vitest";
import { afterFile } from "../harness/after-file.ts";
import { completeDispatch, requeue, requeueAbandoned } from "../../src/shell/fleet/worker/dispatch-state.ts";
import { enrol, fleetDatabase } from "../harness/fleet/postgres.ts";

interface Row {
  readonly status: string;
  readonly owner?: string;
  readonly parkedBy?: string;
  readonly tries?: number;
  readonly refused?: readonly string[];
  /** The state of its dispatch in the queues. */
  readonly dispatch: string;
}

const { database } = await fleetDatabase();
afterFile(() => database.close());
for (const worker of ["alive", "other", "gone"]) await enrol(database, worker);
await database.queryOnce({ text: "update materia.workers set state = 'gone' where worker_id = 'gone'" });

async function put(id: string, row: Row): Promise<void> {
  const { status, owner = null, parkedBy = null, tries = 1, refused = [], dispatch } = row;
  await database.queryOnce({
    text: `insert into materia.casts (cast_id, project, file, summary, status, leg, sent, owner, claim, tries, refused, refused_at, parked_leg, parked_by)
      values ($1, 'p', '{}', '{}', $2, 4, 4, $3::text, case when $3::text is null then null else gen_random_uuid() end, $4, $5, now(), case when $6::text is null then null else 4 end, $6)`,
    values: [id, status, owner, tries, refused, parkedBy],
  });
  await database.queryOnce({
    text: "insert into dbos.workflow_status (workflow_uuid, status, name) values ($1, $2, 'drive')",
    values: [`${id}:4`, dispatch],
  });
}

const legOf = async (id: string): Promise<unknown> =>
  (
    await database.queryOnce({
      text: "select leg, status, owner, claim from materia.casts where cast_id = $1",
      values: [id],
    })
  )[0];

const requeued = { leg: 5, status: "queued", owner: null, claim: null };

it.each<[rule: string, row: Row, isRequeued: boolean]>([
  ["[B32] running by nobody, and its dispatch is over", { status: "running", dispatch: "SUCCESS" }, true],
  ["[B32] queued, and its dispatch is over", { status: "queued", dispatch: "ERROR" }, true],
  ["[B32] of a worker that is gone", { status: "running", owner: "gone", dispatch: "SUCCESS" }, true],
  ["[B32] its dispatch waits", { status: "queued", dispatch: "ENQUEUED" }, false],
  ["[B32] its dispatch runs", { status: "running", dispatch: "PENDING" }, false],
  ["[B32] of a worker that lives", { status: "running", owner: "alive", dispatch: "SUCCESS" }, false],
  ["[B49] parked for its items", { status: "running", parkedBy: "alive", dispatch: "SUCCESS" }, false],
  ["[B32] a person has to answer", { status: "waiting", dispatch: "SUCCESS" }, false],
  ["[B15] tried too often", { status: "queued", tries: 4, dispatch: "SUCCESS" }, false],
  ["[B16] rejected by another worker", { status: "queued", refused: ["other"], dispatch: "SUCCESS" }, true],
  ["[B16] rejected, claimed and released", { status: "running", refused: ["other"], dispatch: "SUCCESS" }, true],
  ["[B16] rejected, and offered already", { status: "queued", refused: ["other"], dispatch: "ENQUEUED" }, false],
  ["[B16] rejected by this worker just now", { status: "queued", refused: ["alive"], dispatch: "SUCCESS" }, false],
])("%s", async (rule, row, isRequeued) => {
  await put(rule, row);
  await requeueAbandoned(database, { workerId: "alive", queues: ["casts"], againMs: 60_000 });
  expect(await legOf(rule)).toMatchObject(isRequeued ? { leg: 5, status: "queued" } : { leg: 4 });
});

it("[B33] a cast that could not be released while the database was away is free after its dispatch", async () => {
  const dispatch = { leg: 4, workerId: "alive" };
  const row: Row = { status: "running", owner: "alive", dispatch: "PENDING" };
  await put("back", row);
  await requeue(database, { castId: "back", ...dispatch });
  expect(await legOf("back")).toEqual(requeued);
  await put("asks", { ...row, status: "waiting" });
  await completeDispatch(database, { castId: "asks", ...dispatch });
  expect(await legOf("asks")).toEqual({ leg: 4, status: "waiting", owner: null, claim: null });
  await put("other", { ...row, owner: "other" });
  await requeue(database, { castId: "other", ...dispatch });
  await completeDispatch(database, { castId: "other", ...dispatch, leg: 3 });
  expect(await legOf("other")).toEqual({ leg: 4, status: "running", owner: "other", claim: expect.any(String) });
});
