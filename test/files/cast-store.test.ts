import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, it } from "vitest";
import { CastId } from "../../src/core/model/ids.ts";
import { castStartOf as startOfFile, type CastFile, CAST_FORMAT, newCastId } from "../../src/shell/store/cast-file.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { encodeLines, firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { scratchFolder } from "../harness/agents.ts";
import { compiled, play } from "../harness/play.ts";
import { TIME, fold, graph, seat } from "../harness/seats.ts";

const id = (text: string): CastId => v.parse(CastId, text);
const config = graph({ "Socket-1": seat("Eval") });

function castFile(id = "c-1"): CastFile {
  const { graph: made, id: loadoutId } = compiled(config);
  return {
    castId: v.parse(CastId, id),
    request: "Make it so.",
    command: 'cast "Make it so."',
    targets: [{ kind: "loadout", name: "Main", layer: "explicit", file: "test.json" }],
    loadout: { id: loadoutId, name: "Main" },
    graph: made,
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    state: {},
    cwd: "/project",
    model: null,
    rehearsal: null,
    configFiles: ["test.json"],
    versions: { format: CAST_FORMAT, materia: "0.1.0", node: "v24" },
    startedAt: TIME,
  };
}

async function created(): Promise<string> {
  const root = join(scratchFolder(), "casts");
  const owned = await fileStore(root).create({ file: castFile() }, {});
  expect(owned).toMatchObject({ ok: true, value: { castId: "c-1", epoch: 1 } });
  if (owned.ok) await owned.value.release();
  return root;
}

it("[J18] the cast's own file has all that is known at the start", async () => {
  const root = await created();
  expect(readdirSync(join(root, "c-1"))).toEqual(["cast.json", "owner"]);
  expect(JSON.parse(readFileSync(join(root, "c-1", "cast.json"), "utf8"))).toEqual(
    JSON.parse(JSON.stringify(castFile())),
  );
  for (const key of [
    "castId",
    "request",
    "command",
    "targets",
    "loadout",
    "graph",
    "fromCastId",
    "configFiles",
    "versions",
  ])
    expect(castFile()).toHaveProperty(key);
});

it("[J18] it is never written again", async () => {
  const root = await created();
  const again = await fileStore(root).create({ file: { ...castFile(), request: "Another." } }, {});
  expect(again).toMatchObject({
    ok: false,
    issues: [{ code: "write_failed", message: expect.stringContaining("not empty") }],
  });
  expect(JSON.parse(readFileSync(join(root, "c-1", "cast.json"), "utf8"))).toMatchObject({ request: "Make it so." });
});

it("[J18] with the journal it is all that a resume needs", async () => {
  const root = scratchFolder();
  mkdirSync(join(root, "c-1"));
  writeFileSync(join(root, "c-1", "cast.json"), JSON.stringify(castFile("c-1")));
  const { events: played } = await play(config, { request: "Make it so.", says: { Eval: ["{}"] } });
  const events = played.map((event) => (event.type === "cast_started" ? { ...event, castId: id("c-1") } : event));
  writeFileSync(join(root, "c-1", "journal.jsonl"), encodeLines(events, firstChainHead("c-1"), 1).text);
  expect(await fileStore(root).load(id("c-1"))).toMatchObject({
    ok: true,
    value: { events, state: fold(startOfFile(castFile()), events) },
  });
});

it.each<[rule: string, content: string, path: string]>([
  ["[J18] torn", '{"castId":', ""],
  ["[J18] empty", "", ""],
  ["[J18] of another kind", "[]", "castId"],
  [
    "[J18] of another format",
    JSON.stringify({ ...castFile(), versions: { format: 99, materia: "9", node: "v99" } }),
    "versions.format",
  ],
  ["[J18] without a graph", JSON.stringify({ ...castFile(), graph: null }), "graph"],
])("%s: a file that cannot be used is a problem with its place", async (_rule, content, path) => {
  const root = scratchFolder();
  mkdirSync(join(root, "c-1"));
  writeFileSync(join(root, "c-1", "cast.json"), content);
  expect(await fileStore(root).load(id("c-1"))).toMatchObject({
    ok: false,
    issues: [
      {
        severity: "error",
        code: "bad_cast_file",
        path: path === "" ? [] : [path],
        file: join(root, "c-1", "cast.json"),
      },
    ],
  });
});

it.each<[rule: string, text: string]>([
  ["[C6] nothing", ""],
  ["[C6] a dot", "."],
  ["[C6] the folder above", ".."],
  ["[C6] a way out", "../c-1"],
  ["[C6] a way round", "x/../c-1"],
  ["[C6] a path", "/etc"],
  ["[C6] a backslash", "..\\c-1"],
  ["[C6] a dash first", "-c"],
  ["[C6] a hidden file", ".c-1"],
  ["[C6] a blank", "c 1"],
  ["[C6] a line break behind it", "c-1\n"],
  ["[C6] a zero byte", "c-1\0"],
  ["[C6] another alphabet", "ç-1"],
  ["[C6] an escape sequence", "\u001b[31mc-1"],
  ["[C6] a very long one", "c".repeat(5_000)],
])("%s is no cast id", async (_rule, text) => {
  const root = await created();
  const refused = await fileStore(root).find(text);
  expect(refused).toMatchObject({ ok: false, issues: [{ code: "bad_cast_id" }] });
  expect(JSON.stringify(refused)).not.toContain("\\u001b");
});

it("[C6] an id that no cast has", async () => {
  expect(await fileStore(await created()).find("c-2")).toMatchObject({ ok: false, issues: [{ code: "unknown_cast" }] });
});

it("[C6] a cast that was removed since it was found is no cast, rather than a damaged one", async () => {
  const store = fileStore(await created());
  const found = await store.find("c-1");
  rmSync(store.location, { recursive: true });
  if (!found.ok) throw new Error("it is there");
  const gone = { ok: false, issues: [{ code: "unknown_cast", path: ["c-1"] }] };
  expect(await store.load(found.value)).toMatchObject(gone);
  expect(await store.readCastFile(found.value)).toMatchObject(gone);
});

it("[C6] a link out of the folder of casts leads to no cast", async () => {
  const root = await created();
  const outside = await created();
  symlinkSync(join(outside, "c-1"), join(root, "c-9"));
  expect(await fileStore(root).find("c-9")).toMatchObject({ ok: false, issues: [{ code: "unknown_cast" }] });
});

it("[C6] a folder of casts that is itself a link is none the worse for it", async () => {
  const root = await created();
  const link = join(scratchFolder(), "casts");
  symlinkSync(root, link);
  expect((await fileStore(link).find("c-1")).ok).toBe(true);
});

it("[C3] a cast that cannot be kept is refused with a way out", async () => {
  const file = join(scratchFolder(), "file");
  writeFileSync(file, "");
  expect(await fileStore(file).create({ file: castFile() }, {})).toMatchObject({
    ok: false,
    issues: [{ code: "write_failed", hint: expect.stringContaining("--artifacts") }],
  });
  expect(existsSync(join(file, "c-1"))).toBe(false);
});

it("[C6] new ids are ids, and sort by time", async () => {
  const ids = [0, 0.5, 1 - 2 ** -32].flatMap((chance) =>
    ["2026-01-02T03:04:05.678Z", "2025-12-31T23:59:59.999Z"].map((time) => newCastId(new Date(time), chance)),
  );
  expect(ids.every((id) => v.is(CastId, id))).toBe(true);
  expect(ids.toSorted().map((id) => id.slice(0, 15))).toEqual([
    ...Array.from({ length: 3 }, () => "20251231-235959"),
    ...Array.from({ length: 3 }, () => "20260102-030405"),
  ]);
  expect(new Set(ids).size).toBe(6);
});
