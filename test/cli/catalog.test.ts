import { join } from "node:path";
import { expect, it } from "vitest";
import { castsIn, newPlace, put, readText, run, userFolder } from "../harness/cli.ts";

const conf = `{
  // kept as it is
  "activeLoadout": "One", // the first
  "materia": { "Echo": { "type": "utility", "command": ["echo", "hi"], "description": "Says hi." } },
  "loadouts": {
    "One": { "description": "First.", "entry": "Socket-1", "sockets": { "Socket-1": { "materia": "Echo" } } },
    "Two": { "entry": "Socket-1", "sockets": { "Socket-1": { "materia": "Echo" } } },
    "Odd": { "entry": 7 },
  },
}`;

it("[C16] loadouts are listed with their source, the active one and broken ones marked", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": conf });
  const [text, data] = await Promise.all([run(["loadout"], { cwd }), run(["loadout", "--json"], { cwd })]);
  const lines = text.stdout.split("\n");
  expect(lines).toContainEqual(expect.stringMatching(/^● One +project +First\.$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}Full-Auto +bundled /));
  expect(lines).toContainEqual(expect.stringMatching(/^! Odd +project +has problems/));
  expect(JSON.parse(data.stdout)).toContainEqual({
    name: "One",
    active: true,
    source: "project",
    file: `${cwd}/.pi/pi-materia.json`,
    description: "First.",
    sound: true,
  });
});

it("[C16] choosing one makes it active for later casts and changes nothing else in the file", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": conf });
  expect((await run(["cast", "--trust", "x"], { cwd })).code).toBe(0);
  const chosen = await run(["loadout", "Two"], { cwd });
  expect([chosen.code, chosen.stdout]).toEqual([0, expect.stringContaining("Two is active now")]);
  expect(readText(join(cwd, ".pi/pi-materia.json"))).toBe(conf.replace('"One", // the', '"Two", // the'));
  // Which of the trusted loadouts is active decides nothing that was not trusted.
  expect((await run(["cast", "y"], { cwd })).code).toBe(0);
  const listed = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ loadout: "Two" }, { loadout: "One" }]);
});

it("[C16] without a project file the choice is the user's own", async () => {
  const cwd = newPlace();
  expect((await run(["loadout", "Planning-Consult"], { cwd })).code).toBe(0);
  expect(JSON.parse(readText(join(userFolder(cwd), "materia.json")))).toEqual({ activeLoadout: "Planning-Consult" });
  const { stdout } = await run(["loadout"], { cwd });
  expect(stdout).toMatch(/^● Planning-Consult/m);
});

it("[C17] materia are listed, and one is shown with all that it says", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": conf });
  const [list, text, data] = await Promise.all([
    run(["materia"], { cwd }),
    run(["materia", "Auto-Eval"], { cwd }),
    run(["materia", "Echo", "--json"], { cwd }),
  ]);
  expect(list.stdout).toMatch(/^◆ Echo +project +Says hi\.$/m);
  expect(list.stdout).toMatch(/^● Build +bundled /m);
  expect(text.stdout).toContain("parse: json");
  expect(text.stdout).toContain("tools: read, bash\n");
  expect(text.stdout).toContain("Judge whether the current item");
  expect(JSON.parse(data.stdout)).toMatchObject({ name: "Echo", source: "project", command: ["echo", "hi"] });
});

it("[C18] grid draws the active loadout or a named one, as text, Mermaid and data", async () => {
  const cwd = newPlace();
  const [text, mermaid, data, other] = await Promise.all([
    run(["grid"], { cwd }),
    run(["grid", "Full-Auto", "--mermaid"], { cwd }),
    run(["grid", "--json"], { cwd }),
    run(["grid", "Hojo-Consult"], { cwd }),
  ]);
  expect(text.stdout).toMatch(/^Full-Auto · 9 sockets, 1 loop\n/);
  expect(text.stdout).toContain("✗ not satisfied → Socket-5 (Build), at most 3 times");
  expect(text.stdout).toContain("exit · always → Socket-8 (Narrate)");
  expect(text.stdout).toContain("At most 3 + 9 n turns (n work items)");
  expect(mermaid.stdout).toMatch(/^flowchart TD\n[^]*subgraph[^]*-\.->\|/);
  expect(mermaid.stdout).not.toMatch(/\n\n$/);
  expect(JSON.parse(data.stdout)).toMatchObject({
    name: "Full-Auto",
    entry: "Socket-1",
    loops: [{ id: "workItemIteration", sockets: ["Socket-5", "Socket-6", "Socket-7"], from: "Socket-3" }],
    worstCase: { turns: { "": 3, workItemIteration: 9 } },
  });
  expect(other.stdout).toMatch(/^Hojo-Consult · 10 sockets/);
  expect(castsIn(cwd)).toEqual([]);
});

it("[C18] a materia is no loadout, and the refusal says what it is", async () => {
  const { code, stderr } = await run(["grid", "Build"], { cwd: newPlace() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('"Build" is a materia')]);
});

it("[C16, C19] a broken loadout stops only what uses it", async () => {
  const cwd = newPlace({ "conf.json": conf });
  put(cwd, { ".pi/pi-materia.json": "{}" });
  const config = ["--config", "conf.json"];
  const codes = await Promise.all(
    [["grid", "One"], ["grid", "Odd"], ["loadout"], ["check"]].map(async (args) => {
      const { code } = await run([...args, ...config], { cwd });
      return code;
    }),
  );
  expect(codes).toEqual([0, 2, 0, 1]);
});
