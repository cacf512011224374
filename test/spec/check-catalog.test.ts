import { expect, it } from "vitest";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { checkCatalog } from "../../src/core/compile/targets/compile.ts";
import { pathText } from "../../src/core/model/issue.ts";

const one = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
const materia = { Text: { prompt: "t" }, Odd: { prompt: "{{odd}}" }, Broken: { prompt: 1 } };

function checked(own: object, bundled: object = {}) {
  const layers = [readLayer("bundled", bundled, undefined), readLayer("explicit", own, "test.json")];
  const { issues, loadouts } = checkCatalog(mergeLayers(layers));
  return {
    issues: issues.map(
      ({ severity, code, path, file }) => `${severity} ${code} ${pathText(path)} ${file ?? "nowhere"}`,
    ),
    sound: loadouts.map(({ entry, worst }) => [entry.name, worst.turns]),
  };
}

it("[C19] every problem of materia, loadouts and settings is reported, and the worst case of sound ones", () => {
  const loadouts = { Good: one("Text"), Doubtful: one("Odd"), Bad: one("Missing"), Torn: 5 };
  expect(checked({ activeLoadout: "Goood", materia, loadouts })).toEqual({
    issues: [
      "error bad_value materia.Broken.prompt test.json",
      "warning unknown_variable loadouts.Doubtful.sockets.Socket-1 test.json",
      "error unknown_materia loadouts.Bad.sockets.Socket-1.materia test.json",
      "error bad_value loadouts.Torn test.json",
      "error unknown_loadout activeLoadout test.json",
    ],
    sound: [
      ["Good", { "": 1 }],
      ["Doubtful", { "": 1 }],
    ],
  });
});

it("[C19] of bundled parts only errors are reported", () => {
  const bundled = { materia, loadouts: { Doubtful: one("Odd"), Bad: one("Missing") }, activeLoadout: "Doubtful" };
  expect(checked({}, bundled).issues).toEqual([
    "error bad_value materia.Broken.prompt nowhere",
    "error unknown_materia loadouts.Bad.sockets.Socket-1.materia nowhere",
  ]);
});
