import { describe, expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { exportedText, importText, neededMateria, newMateria, withMateria } from "../../src/core/edit/carry.ts";
import { draftOfText } from "../../src/core/edit/text/draft.ts";
import { withMateriaRenamed } from "../../src/core/edit/text/file.ts";

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
    const { loadout, text } = draftOfText("Own", LOADOUT);
    const needed = neededMateria(loadout, own, (name) => TEXTS[name]);
    expect(needed.map(({ name }) => name)).toEqual(["Base", "Mine"]);
    const file = exportedText("Own", text, needed);
    expect(JSON.parse(file)).toEqual({ ...RAW, loadouts: { Own: JSON.parse(LOADOUT) as object } });
  });

  it("[E16] an import brings what is new here, and what is here already stays", () => {
    const { loadout, text } = draftOfText("Own", LOADOUT);
    const file = exportedText(
      "Own",
      text,
      neededMateria(loadout, own, (name) => TEXTS[name]),
    );
    const read = importText(file, "File");
    if (!read.ok) throw new Error("it cannot be read");
    const [brought] = read.value.loadouts;
    if (!brought) throw new Error("it brings nothing");
    const fresh = newMateria(brought.draft.loadout, read.value.materia, bare);
    expect(fresh.map(({ name }) => name)).toEqual(["Base", "Mine"]);
    expect(newMateria(brought.draft.loadout, read.value.materia, own)).toEqual([]);
    expect(withMateria(bare, fresh).materia.get("Base")?.value).toMatchObject({ type: "agent" });
    expect(withMateria(bare, [])).toBe(bare);
  });
});

it("[E27] renaming a materia renames it in the sockets of its file, and nowhere else", () => {
  const file = `{\n  // kept\n  "loadouts": { "Own": ${LOADOUT}, "Broken": 3 }\n}\n`;
  expect(withMateriaRenamed(file, "Mine", "Yours")).toBe(file.replace('"Mine"', '"Yours"'));
  expect(withMateriaRenamed("{ nonsense", "Mine", "Yours")).toBe("{ nonsense");
});
