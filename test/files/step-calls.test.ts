import { expect, it } from "vitest";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import type { Durability } from "../../src/shell/store/cast-store.ts";
import { withCalls } from "../harness/faulty-disk.ts";
import { compiled } from "../harness/play.ts";
import { items, said, workshop, world } from "../harness/seats.ts";
import { castFile, filePlace } from "../harness/store/store-casts.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const COUNTED = [
  "existsSync",
  "fdatasyncSync",
  "fstatSync",
  "fsyncSync",
  "mkdirSync",
  "openSync",
  "readSync",
  "statSync",
  "writeFileSync",
  "writeSync",
] as const;
type Counts = Readonly<Record<string, number>>;

/** What is asked of the system while a cast of so many items runs, by the name of the call. */
async function callsOf(count: number, durability: Durability): Promise<Counts> {
  const { store } = filePlace();
  const file = { ...castFile("c-1"), graph: compiled(workshop()).graph };
  const owned = await store.create({ file }, { durability });
  if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
  const { journal, artifacts, holdsClaim: holds, isSuperseded } = owned.value;
  const list = items(...Array.from({ length: count }, (_, index) => `item ${index}`));
  const ports = world(({ materia }) => said(materia === "Plan" ? JSON.stringify(list) : '{"satisfied":true}'), {
    journal,
    artifacts,
    holdsClaim: holds,
    isSuperseded,
  });
  const counts = new Map<string, number>();
  const restore = withCalls((real) =>
    Object.fromEntries(
      COUNTED.map((name) => {
        const call = real[name] as (...args: unknown[]) => unknown;
        const counted = (...args: unknown[]): unknown => {
          counts.set(name, (counts.get(name) ?? 0) + 1);
          return call(...args);
        };
        return [name, counted];
      }),
    ),
  );
  const end = await runCast(initialState(castStartOf(file)), ports, { cwd: "/", signal: new AbortController().signal });
  restore();
  await owned.value.release();
  expect(end.kind).toBe("ended");
  return Object.fromEntries(counts);
}

/** What each further item adds. */
async function perItem(durability: Durability): Promise<Counts> {
  const [few, many] = [await callsOf(3, durability), await callsOf(13, durability)];
  const added = Object.entries(many).map(([name, count]): [string, number] => [name, (count - (few[name] ?? 0)) / 10]);
  return Object.fromEntries(added.filter(([, count]) => count !== 0));
}

it("[D30] a visit is one folder, one call for each file and one write, in a long cast too", async () => {
  // Two visits with prompt.md and output.md each, one of them with handoff.json.
  expect(await perItem("write")).toEqual({
    mkdirSync: 2,
    writeFileSync: 5,
    writeSync: 2,
    fstatSync: 2,
    // Whether the cast is still this owner's: before every file, before the write, and twice before a turn.
    existsSync: 5 + 2 + 4,
  });
});

it("[D7, D30] written through to the disk it is one sync for each file and folder beside that of the journal", async () => {
  const { fsyncSync, fdatasyncSync, mkdirSync } = await perItem("sync");
  expect({ fsyncSync, fdatasyncSync, mkdirSync }).toEqual({ fsyncSync: 5 + 4, fdatasyncSync: 2, mkdirSync: 2 });
});
