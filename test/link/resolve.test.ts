import { pathText } from "../../src/core/model/issue.ts";
import { expect, it } from "vitest";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { catalogWith, link, linked } from "../harness/chain.ts";

const solo = { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } };
const config = {
  materia: { Both: { prompt: "Do." }, "a b": { prompt: "Do." }, "x:y": { prompt: "Do." }, Broken: { prompt: 1 } },
  loadouts: { Both: solo, Solo: solo },
};

const targetsOf = (typed: string) => linked(typed, config).targets.map(({ kind, name }) => `${kind}:${name}`);

it.each<[title: string, typed: string, found: readonly string[]]>([
  ["[L7] bare names, in the order given", "Solo Build Planner", ["loadout:Solo", "materia:Build", "materia:Planner"]],
  ["[L7] the same target twice", "Build Build", ["materia:Build", "materia:Build"]],
  ["[L7] prefixes choose", "materia:Both loadout:Both", ["materia:Both", "loadout:Both"]],
  ["[L7] a name with blanks", `"a b" 'materia:a b' Solo`, ["materia:a b", "materia:a b", "loadout:Solo"]],
  ["[L7] a name with a colon", "x:y materia:x:y", ["materia:x:y", "materia:x:y"]],
  ["[L9] Chain-Context is a materia", "Chain-Context materia:Chain-Context", Array(2).fill("materia:Chain-Context")],
])("%s", (_title, typed, found) => {
  expect(targetsOf(typed)).toEqual(found);
});

it.each<[title: string, typed: string, problems: readonly [code: string, at: string, hint: string][]]>([
  ["[L8] a name of both kinds", "Both", [["ambiguous_target", "Both", "write materia:Both or loadout:Both"]]],
  ["[L8] an unknown name", "Plannner", [["unknown_target", "Plannner", 'did you mean "Planner"?']]],
  ["[L8] case matters", "build", [["unknown_target", "build", 'did you mean "Build"?']]],
  ["[L8] nothing near", "Zzz", [["unknown_target", "Zzz", '"materia materia" and "materia loadout" list all names']]],
  [
    "[L8] the right name under the wrong prefix",
    "loadout:Build materia:Solo",
    [
      ["unknown_target", "loadout:Build", '"Build" is a materia: link it as materia:Build'],
      ["unknown_target", "materia:Solo", '"Solo" is a loadout: link it as loadout:Solo'],
    ],
  ],
  ["[L8] an unknown prefix", "tool:Build", [["unknown_prefix", "tool:Build", "use materia:NAME or loadout:NAME"]]],
  [
    "[L8] the problems of all targets at once, in their order",
    "Both Build Biuld x:z loadout:Full-Auot",
    [
      ["ambiguous_target", "Both", "write materia:Both or loadout:Both"],
      ["unknown_target", "Biuld", 'did you mean "Build"?'],
      ["unknown_prefix", "x:z", "use materia:NAME or loadout:NAME"],
      ["unknown_target", "loadout:Full-Auot", 'did you mean "Full-Auto"?'],
    ],
  ],
  [
    "[L8] an empty name",
    '"" materia:',
    [
      ["unknown_target", "", '"materia materia" and "materia loadout" list all names'],
      ["unknown_target", "materia:", '"materia materia" and "materia loadout" list all names'],
    ],
  ],
])("%s", (_title, typed, problems) => {
  const result = link(typed, config);
  expect(result.ok ? [] : result.issues.map(({ code, path, hint }) => [code, pathText(path), hint])).toEqual(problems);
});

it.each([
  ["Zzz", 'there is no materia or loadout named "Zzz"', undefined],
  ["materia:Slo", 'there is no materia named "Slo"', "materia materia"],
  ["loadout:Bild", 'there is no loadout named "Bild"', "materia loadout"],
  ["materia:Both:x", 'there is no materia named "Both:x"', undefined],
  ["1x:y", 'there is no materia or loadout named "1x:y"', undefined],
])("[L8] %s: the kind that was asked for is named, and only its names are offered", (typed, message, hint = "") => {
  const result = link(typed, config);
  const [issue] = result.ok ? [] : result.issues;
  expect(issue?.message).toBe(message);
  expect(issue?.hint).toContain(hint);
});

it("[L19] a fault of a materia that is cast alone has its place there", () => {
  const faulty = { Odd: { prompt: "o", parse: "json", assign: { a: "$.nothing" } } };
  const result = link("Odd", { materia: faulty });
  expect(result.ok ? [] : result.issues).toMatchObject([
    { code: "bad_assign", file: "test.json", path: ["materia", "Odd", "assign", "a"] },
  ]);
});

it("[G15] a socket with a materia that is broken says why, where it is seated", () => {
  const result = link("Main", {
    materia: { Broken: { prompt: 1 } },
    loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Broken" } } } },
  });
  const [issue] = result.ok ? [] : result.issues;
  expect(issue).toMatchObject({
    code: "invalid_materia",
    path: ["loadouts", "Main", "sockets", "Socket-1", "materia"],
  });
  expect(issue?.message).toMatch(/has problems: \S/);
});

it("[L1] a link without targets is refused", () => {
  const result = compileTargets([], catalogWith(config));
  expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(["missing_target"]);
});

it("[L8, L19] a broken target is refused with its own problems and their place", () => {
  const result = link("Build Broken", config);
  expect(result.ok ? [] : result.issues).toMatchObject([
    { code: "bad_value", file: "test.json", path: ["materia", "Broken", "prompt"] },
  ]);
});

it.each<[title: string, materia: Readonly<Record<string, unknown>>, code: string]>([
  ["[L9] Chain-Context may be removed", { "Chain-Context": null }, "unknown_target"],
  ["[L9] and be replaced by something broken", { "Chain-Context": { prompt: 1 } }, "bad_value"],
])("%s", (_title, materia, code) => {
  expect(link("Chain-Context Build", { materia })).toMatchObject({ ok: false, issues: [{ code }] });
});

it("[L7] a later layer is in force", () => {
  const { targets } = linked("Build", { materia: { Build: { prompt: "Mine." } } });
  expect(targets).toMatchObject([{ entry: { layer: "explicit", file: "test.json", value: { prompt: "Mine." } } }]);
});
