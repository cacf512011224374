import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateFleet } from "../../../src/shell/fleet/worker/migrate-fleet.ts";
import { findPostgres } from "../../../src/shell/fleet/local-fleet.ts";
import { openDatabase, type Database } from "../../../src/shell/store/postgres/database.ts";
import { ownServer } from "../../../test/harness/fleet/own-server.ts";
import { median } from "../process.ts";
import { published } from "../start-up.ts";
import { measureStore, type StoreFigures } from "./fleet-store.ts";
import { measureItems } from "./fleet-items.ts";
import {
  fleetPlace,
  measureBystander,
  measureCrowd,
  measureList,
  measureTakeOver,
  type CrowdFigures,
} from "./fleet-workers.ts";

export interface FleetFigures extends StoreFigures {
  readonly crowd: CrowdFigures;
  readonly takeOverMs: number;
  /** Absent in results of before items went to several workers. */
  readonly itemsMs?: number;
  readonly listMs: number;
  readonly bystanderMs: number;
}

/** A fleet on this machine, with a Postgres that waits for its disk as one that people rely on does. */
export async function measureFleet(casts: number, rounds: number): Promise<FleetFigures> {
  if (!(await findPostgres()).ok) throw new Error("the Postgres of the tests is not installed here");
  const top = mkdtempSync(join(tmpdir(), "materia-bench-"));
  const server = await ownServer({ settings: ["fsync=on", "shared_buffers=128MB"] });
  const open = async (): Promise<Database> => {
    const opened = await openDatabase({ url: server.url });
    if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
    return opened.value;
  };
  try {
    const migrated = await migrateFleet({ url: server.url });
    if (!migrated.ok) throw new Error(JSON.stringify(migrated.issues));
    const store = await measureStore(open, join(top, "casts"));
    const database = await open();
    await database.queryOnce({ text: "truncate materia.casts, materia.workers cascade" });
    const program = join(await published(), "bin", "materia.mjs");
    const at = { program, url: server.url };
    const place = fleetPlace(top, at);
    const crowd = await measureCrowd(place, database, casts);
    const takeOverMs = median(await measureTakeOver(place, database, rounds));
    const itemsMs = await measureItems(fleetPlace(join(top, "items"), at), database, rounds);
    const listMs = await measureList(place, database, 2 * rounds + 1);
    await database.close();
    return {
      ...store,
      crowd,
      takeOverMs,
      itemsMs,
      listMs,
      bystanderMs: measureBystander(top, program, 4 * rounds + 1),
    };
  } finally {
    await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  }
}
