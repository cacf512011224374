import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { postgresStore } from "../../src/shell/store/postgres/postgres-store.ts";
import type { Database } from "../../src/shell/store/postgres/database.ts";
import { scratchFolder } from "../harness/agents.ts";
import { closing, enrol, fleetDatabase, opened } from "../harness/fleet/postgres.ts";
import type { StoreUnderTest } from "../harness/store/store-casts.ts";
import { storeContract } from "../harness/store/store-contract.ts";

let admin: Database;
let address = "";
let database: Database;

beforeAll(async () => {
  const made = await fleetDatabase();
  admin = made.database;
  address = made.url;
});
afterAll(() => admin.close());
beforeEach(async () => {
  await admin.queryOnce({ text: "truncate materia.casts, materia.workers cascade" });
  await enrol(admin, "me");
  await enrol(admin, "gone");
  await admin.queryOnce({ text: "update materia.workers set state = 'gone' where worker_id = 'gone'" });
  database = await opened(address);
});

const openPostgresStore = (): StoreUnderTest => {
  const scratch = join(scratchFolder(), "casts");
  const store = closing(
    postgresStore({ database, location: "the fleet", project: "p", worker: { id: "me", scratch } }),
  );
  return {
    store,
    giveUp: async (castId) =>
      void (await admin.queryOnce({
        text: "update materia.casts set owner = 'gone' where cast_id = $1",
        values: [castId],
      })),
  };
};

describe("casts in a database", () => {
  storeContract(openPostgresStore);
});
