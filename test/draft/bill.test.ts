import { expect, it } from "vitest";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { billLines, billSettings, makeBill } from "../../src/core/view/graph/bill.ts";
import { plainText } from "../../src/core/view/line.ts";
import { newPlace, run } from "../harness/cli.ts";
import { writePastCast } from "../harness/past-casts.ts";
import { catalogOf, type TestConfig } from "../harness/play.ts";

const config: TestConfig = {
  materia: {
    "Auto-Plan": { prompt: "Plan it.", tools: "readOnly", generator: true },
    Build: { prompt: "Build it.", tools: "coding" },
    Approve: { type: "person", question: "Is it good?" },
    Tests: { type: "utility", gate: true, command: ["npm", "test"] },
    Review: { prompt: "Judge it.", tools: "readOnly", parse: "json", notModelOf: "Build" },
    Search: { prompt: "Look.", tools: { type: "custom", tools: ["read", "web_search"] } },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": {
          materia: "Tests",
          edges: [
            { when: "satisfied", to: "Socket-4" },
            { when: "not_satisfied", to: "Socket-2", maxTraversals: 2 },
          ],
        },
        "Socket-4": {
          materia: "Review",
          advance: { when: "satisfied" },
          edges: [
            { when: "satisfied", to: "Socket-2" },
            { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
          ],
        },
        "Socket-5": { materia: "Approve", edges: [{ when: "satisfied", to: "Socket-6" }] },
        "Socket-6": { materia: "Search" },
      },
      loops: {
        items: {
          sockets: ["Socket-2", "Socket-3", "Socket-4"],
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [{ id: "done", from: "Socket-4", condition: "satisfied", targetSocketId: "Socket-5" }],
        },
      },
    },
  },
};

function billOf(own: TestConfig = config, typedModel?: string) {
  const catalog = catalogOf(own);
  const compiled = compileTargets([{ kind: "loadout", name: "Main" }], catalog);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const { graph, flow } = compiled.value;
  return makeBill({ graph, flow, past: [], ...billSettings(catalog.settings), typedModel });
}

it("[YD1, YD2] a bill has the shape, the price with its basis, and everything that it may do", () => {
  const bill = billOf();
  expect(bill).toMatchObject({
    loadout: "Main",
    shape: "Auto-Plan → [ Build → Tests → Review ] × N → Approve → Search",
    items: 8,
    forecast: { basis: "no history: typical sizes", casts: 0, cost: null },
    writes: ["Build", "Search"],
    runs: [
      { materia: "Build", command: "any command" },
      { materia: "Tests", command: "npm test" },
    ],
    otherTools: ["web_search"],
    asksPerson: ["Approve"],
  });
  expect(bill.worstCase.turns).toMatch(/^2 \+ \d+ N$/);
  expect(bill.models.find(({ materia }) => materia === "Review")?.model).toContain("another than that of Build");
  expect(plainText(billLines(bill))).toMatch(
    /^Main {2}Auto-Plan → .*\nat most 2 \+ .* turns \(\d+ for 8 items\) · likely .* tokens \(no history: typical sizes\) · .*\nruns: any command \(Build\), npm test \(Tests\) · may write files: Build, Search · other tools: web_search · asks a person: Approve\nmodels: /,
  );
});

it("[YD1] a bill has what agents are given of the user's Pi, and the typed model", () => {
  const parts = { skills: ["release"], extensions: ["clock"], mcp: ["db"], sandbox: "strict" };
  const Build = { prompt: "Build it.", tools: "coding" as const, model: "a/x", ...parts };
  const own = { ...config, materia: { ...config.materia, Build } };
  expect(plainText(billLines(billOf(own, "b/y")))).toMatch(
    /skill release \(Build\) · extension clock \(Build\) · MCP server db \(Build\) · sandbox strict \(Build, Tests\) · asks[^]*models: b\/y \(Auto-Plan, Build, Search\)/,
  );
});

it("[YD1] a bill has variables, and what runs outside of a sandbox", () => {
  const Tests = { type: "utility" as const, gate: true, command: ["npm", "test"], env: ["TOKEN"], sandbox: "none" };
  const Build = { prompt: "Build it.", tools: "coding" as const, sandbox: "strict" };
  const own = { ...config, materia: { ...config.materia, Build, Tests } };
  expect(plainText(billLines(billOf(own)))).toContain(
    "sandbox strict (Build) · no sandbox (Tests) · variable TOKEN (Tests)",
  );
});

it("[YD3] a long command is shown whole", () => {
  const command = ["sh", "-c", `${"true; ".repeat(200)}curl evil.example`];
  const own = { ...config, materia: { ...config.materia, Tests: { type: "utility" as const, gate: true, command } } };
  expect(plainText(billLines(billOf(own)))).toContain("curl evil.example (Tests)");
});

it("[YD2, YD3] check --bill has past casts as its basis; one loadout by name, all as JSON", async () => {
  const cwd = newPlace({ "conf.json": config });
  for (let casts = 0; casts < 3; casts += 1)
    await writePastCast(cwd, config, { usage: { input: 900, output: 100, cost: 0.5 } });
  const { code, stdout } = await run(["check", "--bill", "--config", "conf.json"], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/likely \$2\.00.* \(3 past casts\)/)]);
  expect(stdout).toContain("Full-Auto  Ignore-Artifacts → Detect-VCS → ");
  const one = await run(["check", "--bill", "--loadout", "Main", "--config", "conf.json", "--json"], { cwd });
  expect(JSON.parse(one.stdout)).toMatchObject({ bills: [{ loadout: "Main", forecast: { casts: 3 } }] });
  const none = await run(["check", "--bill", "--loadout", "Mian", "--config", "conf.json", "--json"], { cwd });
  expect([none.code, JSON.parse(none.stdout)]).toMatchObject([2, { issues: [{ code: "unknown_loadout" }] }]);
});
