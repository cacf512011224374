import { beforeAll, describe, expect, it } from "vitest";
import { castFile, castsIn, jsonOf, listing, newPlace, run } from "../harness/cli.ts";
import { openTerminal } from "../harness/terminal.ts";

const conf = {
  materia: {
    Look: { type: "utility", command: ["echo", "looked"] },
    "Write Down": { type: "utility", command: ["echo", "written"] },
  },
  loadouts: {
    Both: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Look", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Write Down", edges: [{ when: "always", to: "end" }] },
      },
    },
  },
};

let cwd: string;
let first: string;
let second: string;
const config = ["--config", "conf.json"];

beforeAll(async () => {
  cwd = newPlace({ "conf.json": conf });
  await run(["link", ...config, "Look", "--", "begin"], { cwd });
  [first = ""] = castsIn(cwd);
  const chain = ["--from", first, "Look", "loadout:Both", "materia:Write Down"];
  await run(["link", ...config, ...chain, "--", "go", "on", "--", "please"], { cwd });
  second = castsIn(cwd)[1] ?? "";
});

it("[L22] cast.json records how the cast came about", () => {
  const file = `${cwd}/conf.json`;
  expect(jsonOf(castFile(cwd, second, "cast.json"))).toMatchObject({
    command: `link --from ${first} Look loadout:Both "materia:Write Down" --config ${file} -- go on -- please`,
    request: "go on -- please",
    targets: [
      { kind: "materia", name: "Look", layer: "explicit", file },
      { kind: "loadout", name: "Both", layer: "explicit", file },
      { kind: "materia", name: "Write Down", layer: "explicit", file },
    ],
    loadout: { id: "Look → loadout:Both → materia:Write Down", name: "Look → Both → Write Down" },
    remappings: [
      { socket: "Socket-1", target: 1, name: "Look", source: "Socket-1" },
      { socket: "Socket-2", target: 2, name: "Both", source: "Socket-1" },
      { socket: "Socket-3", target: 2, name: "Both", source: "Socket-2" },
      { socket: "Socket-4", target: 3, name: "Write Down", source: "Socket-1" },
    ],
    stitches: [
      { from: "Socket-1", to: "Socket-2", reason: expect.stringContaining('"Look"') },
      { from: "Socket-3", to: "Socket-4", reason: expect.stringContaining('"Both"') },
    ],
    fromCastId: first,
  });
});

it("[L22] what is recorded can be typed again", async () => {
  const { command } = jsonOf(castFile(cwd, second, "cast.json")) as { readonly command: string };
  const [targets = "", ...prompt] = command.split(" -- ");
  const words = [...targets.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  const again = await run([...words, "--", prompt.join(" -- ")], { cwd });
  expect(again.code).toBe(0);
  const copy = castsIn(cwd).at(-1) ?? "";
  expect(jsonOf(castFile(cwd, copy, "cast.json"))).toMatchObject({
    command,
    graph: (jsonOf(castFile(cwd, second, "cast.json")) as { readonly graph: object }).graph,
  });
});

describe("[L23] lineage", () => {
  const chain = "linked: Look → Both → Write Down";

  it("[L23] show says what was linked and what it continues", async () => {
    const { stdout } = await run(["show", second], { cwd });
    expect(stdout).toContain(`${chain}, continued from ${first}`);
    const data = await run(["show", second, "--json"], { cwd });
    expect(JSON.parse(data.stdout)).toMatchObject({ fromCastId: first, targets: [{ name: "Look" }, {}, {}] });
  });

  it("[L23] so does status", async () => {
    const terminal = openTerminal(["status", second], cwd, 160);
    expect(await terminal.exited).toBe(0);
    expect(terminal.screen()).toContain(`${chain}, continued from ${first}`);
    const { stdout } = await run(["status", second, "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ loadout: `${chain}, continued from ${first}` });
  });

  it("[L23] one target is no chain", async () => {
    const { stdout } = await run(["show", first], { cwd });
    expect(stdout).not.toContain("linked:");
  });
});

describe("[L24] plan before you run", () => {
  it("[L24] the chain is drawn with its targets, its stitches, the reason of each, and the worst case", async () => {
    const before = listing(cwd);
    const { code, stdout } = await run(["grid", "--link", "loadout:Planning-Consult", "loadout:Full-Auto", "Narrate"], {
      cwd,
    });
    expect([code, listing(cwd)]).toEqual([0, before]);
    for (const drawn of [
      "Planning-Consult → Full-Auto → Narrate · 12 sockets, 2 loops",
      "── 2 · Full-Auto",
      "Socket-3 · json · was Socket-1",
      "stitch 1 · exit · always → Socket-3 (Ignore-Artifacts)",
      "Stitch 1: Socket-2 (Context-Check) → Socket-3 (Ignore-Artifacts)",
      "Stitch 2: Socket-10 (Narrate) → Socket-12 (Narrate)",
    ])
      expect(stdout).toContain(drawn);
    const told = stdout.replace(/\s+/g, " ");
    expect(told).toContain(
      'the only socket of "Full-Auto" that can end (it has no edges) meets the entry of "Narrate"',
    );
    expect(told).toContain("At most 6 + n₁ + 9 n₂ turns");
  });

  it("[L24] as data, with the places that the sockets have in their own loadouts", async () => {
    const { stdout } = await run(["grid", ...config, "--json", "--link", "Look", "Both"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      name: "Look → Both",
      sockets: [
        { id: "Socket-1", origin: { target: 1, name: "Look", socket: "Socket-1" } },
        { id: "Socket-2", origin: { target: 2, name: "Both", socket: "Socket-1" } },
        { id: "Socket-3", origin: { target: 2, name: "Both", socket: "Socket-2" } },
      ],
      stitches: [{ from: "Socket-1", to: "Socket-2" }],
      worstCase: { turns: {} },
    });
  });

  it.each<[title: string, args: readonly string[]]>([
    [
      "[L24] a link can be planned by changing its first word",
      ["--link", "Planner", "Build", "--", "Add", "a", "page"],
    ],
    ["[L24] as Mermaid too", ["--link", "--mermaid", "Planner", "Build"]],
    ["[L24] a single materia", ["--link", "Build"]],
  ])("%s", async (_title, args) => {
    expect((await run(["grid", ...args], { cwd })).code).toBe(0);
  });

  it("[L24] what cannot be linked cannot be drawn, and says why", async () => {
    const { code, stderr } = await run(["grid", "--link", "Hojo-Consult", "Biuld", "x:y"], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/unknown_target[^]*unknown_prefix/)]);
  });
});
