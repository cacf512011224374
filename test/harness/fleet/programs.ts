import { cpSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PostgresPrograms } from "../../../src/shell/fleet/local-fleet.ts";

/** Postgres refuses to run as root. */
export const NOBODY = { uid: 65534, gid: 65534 };
export const isRoot = process.getuid?.() === 0;

/** Another user cannot look into root's own folders. */
export function reachable(programs: PostgresPrograms, folder: string): PostgresPrograms {
  if (!isRoot || isOpen(programs.postgres)) return programs;
  const native = join(folder, "native");
  cpSync(dirname(dirname(programs.postgres)), native, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

function isOpen(path: string): boolean {
  if (path === "/") return true;
  return (statSync(path).mode & 0o001) !== 0 && isOpen(dirname(path));
}
