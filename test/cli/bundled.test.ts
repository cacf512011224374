import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { checkTarget } from "../../src/core/compile/targets/compile.ts";
import { isError } from "../../src/core/model/issue.ts";
import { newPlace, run } from "../harness/cli.ts";

const catalog = mergeLayers([bundledLayer()]);
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

interface GridData {
  readonly sockets: readonly { readonly id: string; readonly materia: string; readonly loop: string | null }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly when: string;
    readonly maxTraversals: number | null;
  }[];
}

async function gridOf(name: string): Promise<GridData> {
  const { stdout } = await run(["grid", name, "--json"], { cwd: newPlace() });
  return JSON.parse(stdout) as GridData;
}

it("[F14] the bundled materia and loadouts have their published names", async () => {
  const cwd = newPlace();
  const names = async (command: string) => {
    const { stdout } = await run([command, "--json"], { cwd });
    return (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  expect((await names("loadout")).toSorted()).toEqual([
    "Full-Auto",
    "Hojo-Consult",
    "Parallel-Auto",
    "Planning-Consult",
    "Test-Driven",
  ]);
  const agents = ["Planner", "Auto-Plan", "Auto-Architect", "Interactive-Plan", "Context-Check", "Build", "Auto-Eval"];
  const utilities = ["Ignore-Artifacts", "Detect-VCS", "Blackbelt-Bootstrap", "Commit-Sigil"];
  const others = ["Maintain", "Narrate", "Chain-Context"];
  expect(await names("materia")).toEqual(expect.arrayContaining([...agents, ...others, ...utilities]));
});

it.each([...catalog.loadouts.keys()].map((name) => [`[F14] the check finds no error in ${name}`, name]))(
  "%s",
  (_title, name) => {
    const entry = catalog.loadouts.get(name);
    const issues = entry ? checkTarget({ kind: "loadout", name, entry }, catalog, 1).issues : [];
    expect([entry?.value !== undefined, issues.filter(isError)]).toEqual([true, []]);
  },
);

it.each(["Planning-Consult", "Hojo-Consult"])("[F14] %s begins with a person", async (name) => {
  expect((await gridOf(name)).sockets[0]).toMatchObject({ materia: "Interactive-Plan", interactive: true });
});

it("[Q12] Test-Driven goes from Build to the tests, to the evaluator, to Maintain, and narrates", async () => {
  const { sockets, edges } = await gridOf("Test-Driven");
  expect(sockets.map(({ materia, loop }) => (loop === null ? materia : `${materia} each`))).toEqual([
    "Ignore-Artifacts",
    "Detect-VCS",
    "Auto-Plan",
    "Build each",
    "Run-Checks each",
    "Auto-Eval each",
    "Maintain each",
    "Narrate",
  ]);
  const back = edges.filter(({ when, to }) => when === "not_satisfied" && to === "Socket-4");
  expect(back).toMatchObject([
    { from: "Socket-5", maxTraversals: 4, then: "next" },
    { from: "Socket-6", maxTraversals: 2 },
  ]);
});

it("[V20, V43] Parallel-Auto works on four items at once and looks at what was merged before it narrates", async () => {
  const { sockets, edges } = await gridOf("Parallel-Auto");
  expect(sockets.map(({ materia, loop }) => (loop === null ? materia : `${materia} each`))).toEqual([
    "Blackbelt-Bootstrap",
    "Detect-VCS",
    "Parallel-Plan",
    "Build each",
    "Run-Checks each",
    "Auto-Eval each",
    "Maintain each",
    "Run-Checks",
    "Integration-Review",
    "Narrate",
    "Build",
    "Maintain",
  ]);
  const back = edges.filter(({ when }) => when === "not_satisfied");
  expect(back).toMatchObject([
    { from: "Socket-5", to: "Socket-4", maxTraversals: 4, then: "next" },
    { from: "Socket-6", to: "Socket-4", maxTraversals: 2, then: "next" },
    { from: "Socket-8", to: "Socket-10", maxTraversals: 3 },
    { from: "Socket-9", to: "Socket-10", maxTraversals: 2 },
  ]);
  const { stdout } = await run(["grid", "Parallel-Auto"], { cwd: newPlace() });
  expect(stdout).toContain("4 at");
});

it("[F15] Full-Auto prepares, plans, refines several items, works item by item with three returns at most, and narrates", async () => {
  const { sockets, edges } = await gridOf("Full-Auto");
  expect(sockets.map(({ materia, loop }) => (loop === null ? materia : `${materia} each`))).toEqual([
    "Ignore-Artifacts",
    "Detect-VCS",
    "Auto-Plan",
    "Several-Items",
    "Auto-Architect",
    "Build each",
    "Auto-Eval each",
    "Maintain each",
    "Narrate",
  ]);
  const place = (id: string) => sockets.find((socket) => socket.id === id)?.materia ?? id;
  const ways = edges.map(({ from, to, when, maxTraversals }) => [place(from), when, place(to), maxTraversals]);
  expect(ways).toContainEqual(["Several-Items", "satisfied", "Auto-Architect", null]);
  expect(ways).toContainEqual(["Several-Items", "not_satisfied", "Build", null]);
  expect(ways).toContainEqual(["Auto-Eval", "not_satisfied", "Build", 3]);
  expect(ways).toContainEqual(["Auto-Eval", "satisfied", "Maintain", null]);
  expect(ways).toContainEqual(["Maintain", "always", "Narrate", null]);
});

const files = readdirSync(examples).filter((name) => name.endsWith(".json") && !name.endsWith(".rehearsal.json"));

it("[F16] the example of the text is there, and smaller ones", () => {
  expect(files).toContain("graph-semantics-loadout.json");
  expect(files.length).toBeGreaterThan(1);
});

it.each(files.map((name) => [`[F16] ${basename(name)} passes the check and runs to its end`, name]))(
  "%s",
  async (_title, name) => {
    const cwd = newPlace();
    const file = `${examples}${name}`;
    const checked = await run(["check", file, "--json"], { cwd });
    const { issues } = JSON.parse(checked.stdout) as { readonly issues: readonly { readonly severity: string }[] };
    expect([checked.code, issues.filter(({ severity }) => severity === "error")]).toEqual([0, []]);
    const rehearsal = file.replace(/\.json$/, ".rehearsal.json");
    const cast = await run(["cast", "--config", file, "--rehearse", rehearsal, "Try it"], { cwd });
    expect([cast.code, cast.stdout]).toEqual([0, expect.stringContaining("✓ completed")]);
  },
);
