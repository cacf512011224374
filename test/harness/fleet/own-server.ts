import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findPostgres,
  findRunningDatabase,
  startLocalPostgres,
  type DatabaseOptions,
} from "../../../src/shell/fleet/local-fleet.ts";
import { NOBODY, isRoot, reachable } from "./programs.ts";
import { until } from "./start-worker.ts";

/** A Postgres that belongs to one test alone, which may end it and start it again. */
export interface OwnServer {
  readonly url: string;
  /** "fast" as an administrator stops it, "immediate" as a machine does that loses its power. */
  readonly stop: (how: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ended for good, with all that it kept. */
  readonly close: () => Promise<void>;
}

const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

export async function ownServer(
  given: { readonly folder?: string; readonly settings?: readonly string[] } = {},
): Promise<OwnServer> {
  // Another user runs it, and the folder of all other tests is closed to others.
  const made = mkdtempSync(join(process.env["MATERIA_TEST_POSTGRES"] ?? tmpdir(), "server-"));
  chmodSync(made, 0o711);
  const found = await findPostgres();
  if (!found.ok) throw new Error(JSON.stringify(found.issues));
  const programs = reachable(found.value, made);
  const place: DatabaseOptions = {
    folder: given.folder ?? join(made, "server"),
    settings: ["fsync=off", "dynamic_shared_memory_type=mmap", "shared_buffers=32MB", ...(given.settings ?? [])],
    ...(isRoot ? { as: NOBODY } : {}),
  };
  const start = async (): Promise<string> => {
    const started = await startLocalPostgres(programs, place);
    if (!started.ok) throw new Error(JSON.stringify(started.issues));
    return started.value.url;
  };
  const stop: OwnServer["stop"] = async (how) => {
    const running = findRunningDatabase(place.folder);
    if (!running) return;
    process.kill(running.pid, SIGNALS[how]);
    await until(() => !findRunningDatabase(place.folder));
  };
  return {
    url: await start(),
    stop,
    start: async () => void (await start()),
    close: async () => {
      await stop("immediate");
      rmSync(made, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
