import type { CastId } from "../src/core/model/ids.ts";
import type { Artifacts } from "../src/shell/ports.ts";
import { CAST_FORMAT, type CastFile } from "../src/shell/store/cast-file.ts";
import type { OwnedCast, WriteOptions } from "../src/shell/store/cast-store.ts";
import { fileStore } from "../src/shell/store/files/file-store.ts";
import { join } from "node:path";
import { workloadGraph } from "./workload.ts";

/** A cast of the workload as it is kept. */
export function castFile(cwd: string, castId = "20260101-000000-bench1"): CastFile {
  const graph = workloadGraph();
  return {
    castId: castId as CastId, // of an id's form
    request: "Do the work.",
    command: "cast Do the work.",
    targets: [],
    loadout: { id: "bench", name: graph.name },
    graph,
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    state: {},
    cwd,
    model: null,
    rehearsal: null,
    configFiles: [],
    versions: { format: CAST_FORMAT, materia: "bench", node: process.version },
    startedAt: "2026-01-01T00:00:00.000Z",
  };
}

export async function createdCast(root: string, file: CastFile, how: WriteOptions = {}): Promise<OwnedCast> {
  const owned = await fileStore(root).create({ file }, how);
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  return owned.value;
}

export function homeIn(folder: string): Readonly<Record<string, string>> {
  return { HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
}

/** For what is measured without the files of visits. */
export const NO_ARTIFACTS: Artifacts = {
  folder: "",
  pathOf: () => "",
  storeValue: async (json) => ({ kind: "kept", json }),
  write: async () => undefined,
  append: async () => undefined,
};
