import { describe, expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import {
  exportText,
  importConfigText,
  requiredMateria,
  missingMateria,
  catalogWithMateria,
  draftFromText,
} from "../../src/core/edit/loadout-draft.ts";
import { insertSocketInWay } from "../../src/core/edit/loops.ts";
import { edgeWayId } from "../../src/core/model/ids.ts";
import { withMateriaRenamed } from "../../src/core/edit/config-text.ts";

const MINE = '{ "extends": "Base", "prompt": "x" }';
const BASE = '{ "type": "agent", "prompt": "y" }';
const RAW = { materia: { Mine: JSON.parse(MINE), Base: JSON.parse(BASE) } as object };
const TEXTS: Readonly<Record<string, string>> = { Mine: MINE, Base: BASE };
const LOADOUT =
  '{ "entry": "Socket-1", "sockets": { "Socket-1": { "materia": "Mine" }, "Socket-2": { "materia": "Build" } } }';

const bare = mergeLayers([bundledLayer()]);
const own = mergeLayers([bundledLayer(), readLayer("project", RAW)]);

describe("[E16] what goes with a loadout", () => {
  it("[E16] an export holds the materia that it needs, what they extend, and nothing bundled", () => {
    const { loadout, text } = draftFromText("Own", LOADOUT);
    const needed = requiredMateria(loadout, own, (name) => TEXTS[name]);
    expect(needed.map(({ name }) => name)).toEqual(["Base", "Mine"]);
    const file = exportText({ materia: needed, loadouts: [{ name: "Own", text }] });
    expect(JSON.parse(file)).toEqual({ ...RAW, loadouts: { Own: JSON.parse(LOADOUT) as object } });
  });

  it("[E16] an import brings what is new here, and what is here already stays", () => {
    const { loadout, text } = draftFromText("Own", LOADOUT);
    const materia = requiredMateria(loadout, own, (name) => TEXTS[name]);
    const file = exportText({ materia, loadouts: [{ name: "Own", text }] });
    const read = importConfigText(file, "File");
    if (!read.ok) throw new Error("it cannot be read");
    const [brought] = read.value.loadouts;
    if (!brought) throw new Error("it brings nothing");
    const fresh = missingMateria(brought.draft.loadout, read.value.materia, bare);
    expect(fresh.map(({ name }) => name)).toEqual(["Base", "Mine"]);
    expect(missingMateria(brought.draft.loadout, read.value.materia, own)).toEqual([]);
    expect(catalogWithMateria(bare, fresh).materia.get("Base")?.value).toMatchObject({ type: "agent" });
    expect(catalogWithMateria(bare, [])).toBe(bare);
  });
});

it("[E27] renaming a materia renames it in the sockets of its file, and nowhere else", () => {
  const file = `{\n  // kept\n  "loadouts": { "Own": ${LOADOUT}, "Broken": 3 }\n}\n`;
  expect(withMateriaRenamed(file, "Mine", "Yours")).toBe(file.replace('"Mine"', '"Yours"'));
  expect(withMateriaRenamed("{ nonsense", "Mine", "Yours")).toBe("{ nonsense");
});

it("[E28] a socket put into an edge leads on to where the edge led, and is a member of the loop around it", () => {
  const text = `{ "entry": "Socket-1", "sockets": {
    "Socket-1": { "materia": "Auto-Plan", "edges": [{ "when": "always", "to": "Socket-2" }] },
    "Socket-2": { "materia": "Build", "edges": [{ "when": "always", "to": "Socket-3" }] },
    "Socket-3": { "materia": "Maintain", "edges": [{ "when": "always", "to": "Socket-2" }], "advance": { "when": "always" } } },
    "loops": { "items": { "sockets": ["Socket-2", "Socket-3"], "consumes": { "from": "Socket-1", "output": "workItems" } } } }`;
  const { loadout } = draftFromText("Own", text);
  const inside = insertSocketInWay(loadout, edgeWayId("Socket-2", 0), "Auto-Eval");
  if (!inside.ok) throw new Error("it is refused");
  expect(inside.value.sockets["Socket-2"]?.edges[0]?.to).toBe("Socket-4");
  expect(inside.value.sockets["Socket-4"]?.edges).toMatchObject([{ when: "always", to: "Socket-3" }]);
  expect(inside.value.loops["items"]?.sockets).toContain("Socket-4");
  const before = insertSocketInWay(loadout, edgeWayId("Socket-1", 0), "Build");
  expect(before.ok && before.value.loops["items"]?.sockets).toEqual(["Socket-2", "Socket-3"]);
  expect(insertSocketInWay(loadout, "no way", "Build").ok).toBe(false);
});
