import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import { readCastFile } from "../../src/shell/store/files/read-cast.ts";

const CAST_FILE = join(import.meta.dirname, "../fixtures/cast.json");

/** What reading says of a cast whose `cast.json` had one value replaced. */
function readWith(path: readonly (string | number)[], value: unknown): unknown {
  const file = JSON.parse(readFileSync(CAST_FILE, "utf8")) as Record<string | number, unknown>;
  let at = file;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path.at(-1) ?? ""] = value;
  const run = mkdtempSync(join(tmpdir(), "cast-file-"));
  writeFileSync(join(run, "cast.json"), JSON.stringify(file));
  const read = readCastFile(layoutInFolder(run));
  return read.ok ? "sound" : read.issues.map((issue) => issue.message);
}

it("[J24] a sound graph loads", () => {
  expect(readWith(["request"], "another")).toBe("sound");
});

it.each([1, 3])("[J30] a cast of format %i is refused", (format) => {
  expect(readWith(["versions", "format"], format)).toEqual(["cast.json is invalid: its format is not 2"]);
});

it.each<[place: string, value: unknown]>([
  ["graph", 3],
  ["graph.entry", "Socket-99"],
  ["graph.entry", "end"],
  ["graph.sockets", []],
  ["graph.sockets.Socket-2", null],
  ["graph.sockets.Socket-2.id", "Socket-3"],
  ["graph.sockets.Socket-2.materia", "Nobody"],
  ["graph.sockets.Socket-2.loop", "nowhere"],
  ["graph.sockets.Socket-3.edges.1.to", "Socket-99"],
  ["graph.sockets.Socket-3.edges.1.maxTraversals", 0.5],
  ["graph.sockets.Socket-1.assign.0.from", "elsewhere"],
  ["graph.loops.each.exits.1.targetSocketId", 4],
  ["graph.loops.each.sockets.0", "Socket-99"],
  ["graph.loops.each.from", "Socket-99"],
  ["graph.loops.each.id", "other"],
  ["graph.loops.each.emptyTo", "Socket-99"],
  ["graph.loops.each.exits.1", { id: "x", from: "Socket-99", condition: "always", targetSocketId: "end" }],
  ["graph.loops.each.exits.1", { id: "x", from: "Socket-2", condition: "always", targetSocketId: "Socket-99" }],
  ["graph.sockets.Socket-3.edges.1.then", "Socket-99"],
  ["graph.materia.Build", { type: "utility", timeoutMs: -1 }],
])("[J24] a broken %s is refused with its place", (place, value) => {
  expect(readWith(place.split("."), value)).toEqual([expect.stringContaining(`"${place}"`)]);
});

it("[J24] a socket may be called what every object has", () => {
  const { sockets } = (JSON.parse(readFileSync(CAST_FILE, "utf8")) as { graph: { sockets: object } }).graph;
  const named = { ...(sockets as Record<string, { id: string }>)["Socket-4"], id: "constructor" };
  expect(readWith(["graph", "sockets"], { ...sockets, constructor: named })).toBe("sound");
});
