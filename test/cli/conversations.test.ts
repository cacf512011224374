import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf, newPlace, run } from "../harness/cli.ts";

const config = {
  materia: {
    Build: { prompt: "Build.", tools: "coding", conversation: "item" },
    Judge: { prompt: "Judge.", parse: "json", conversation: "item" },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 3 }] },
      },
    },
  },
};
const write = (content: string) => ({ name: "write", arguments: { path: "a.txt", content } });
const first = { tools: [write("1")], text: "built once" };
const again = { tools: [write("2")], text: "built twice" };
const Judge = [{ json: { satisfied: false, context: "it must say 2" } }, { json: { satisfied: true } }];

function linesIn(cwd: string, castId: string, visit: string): readonly string[] {
  const file = join(cwd, ".pi/pi-materia", castId, "sockets", visit, "transcript.jsonl");
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

function castIdIn(printed: string): string {
  return /"castId":"([^"]+)"/.exec(printed)?.[1] ?? "";
}

it("[I5, I8, C53] a stopped visit goes on in its continued conversation, and so does a fork", async () => {
  const cwd = newPlace({ "c.json": config, "r.json": { replies: { Build: [first], Judge } } });
  const named = ["--config", "c.json"];
  const begun = await run(["cast", ...named, "--loadout", "Main", "--rehearse", "r.json", "--json", "x"], { cwd });
  const castId = castIdIn(begun.stdout);
  expect(begun.code).not.toBe(0);
  writeFileSync(join(cwd, "r.json"), JSON.stringify({ replies: { Build: [first, again], Judge } }));
  const done = await run(["recast", castId, ...named, "--rehearse", "r.json", "--json"], { cwd });
  expect([done.code, readFileSync(join(cwd, "a.txt"), "utf8")]).toEqual([0, "2"]);
  const [before, after] = [linesIn(cwd, castId, "Socket-1/1"), linesIn(cwd, castId, "Socket-1/2")];
  // The request repeats the earlier one from its first character.
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.filter((line) => line.includes('"role":"system"'))).toHaveLength(1);
  const story = (await run(["show", castId], { cwd })).stdout;
  expect(story.match(/continues visit 1/g)).toHaveLength(2);
  const visit = (await run(["show", castId, "Socket-1#2", "--json"], { cwd })).stdout;
  expect([visit.includes("built twice"), visit.includes("built once")]).toEqual([true, false]);

  const sent = JSON.parse((await run(["show", castId, "Socket-1#2", "--prompt", "--json"], { cwd })).stdout) as {
    parts: { kind: string; title: string; text: string; chars: number; reused: number }[];
  };
  expect(sent.parts.map(({ kind, title, chars, reused }) => [kind, title, reused === chars])).toEqual([
    ["tools", "Tools", true],
    ["system", "Instructions", true],
    ["conversation", "Continued conversation", true],
    ["message", "Do it again", false],
  ]);
  expect(sent.parts.at(-1)).toMatchObject({ reused: 0, text: expect.stringContaining("it must say 2") as string });
  const table = (await run(["show", castId, "Socket-2#1", "--prompt"], { cwd })).stdout;
  expect(table).toMatch(/How to answer +\d+ tokens\n[^]*Request[^]*In all[^]*1 request/);
  expect((await run(["show", castId, "Socket-9#1", "--prompt"], { cwd })).code).toBe(2);

  const forked = await run(["fork", `${castId}@Socket-1#2`, ...named, "--rehearse", "r.json", "--json"], { cwd });
  expect(forked.code).toBe(0);
  const forkId = readdirSync(join(cwd, ".pi/pi-materia")).find((name) => /^\d{8}-/.test(name) && name !== castId) ?? "";
  expect(linesIn(cwd, forkId, "Socket-1/2").slice(0, before.length)).toEqual(before);
  const journal = readFileSync(join(cwd, ".pi/pi-materia", forkId, "journal.jsonl"), "utf8");
  expect(eventsOf(journal).flatMap((event) => (event.type === "visit_started" ? [event.continues ?? 0] : []))).toEqual([
    0, 0, 1, 1,
  ]);
  const replayed = await run(["replay", castId, ...named, "--json"], { cwd });
  expect(JSON.parse(replayed.stdout)).toMatchObject({ same: true });
});

it("[C54] check names instructions that change between visits", async () => {
  const { Build, Judge: judge } = config.materia;
  const materia = {
    Plan: { prompt: "Plan.", generator: true },
    Build: { ...Build, prompt: "Do {{item.title}} with {{state.tone}}.", assign: { tone: "item.title" } },
  };
  const sockets = {
    "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {} },
  };
  const loops = { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } };
  const loadouts = { Main: { entry: "Socket-1", sockets, loops } };
  const cwd = newPlace({ "c.json": { materia: { ...materia, Judge: judge }, loadouts } });
  const printed = await run(["check", "--config", "c.json"], { cwd });
  expect(printed.stdout).toMatch(
    /^Build: {{item.title}} changes its instructions between visits.* The message has the item/m,
  );
  expect(printed.stdout).toMatch(
    /^Build: {{state.tone}} changes its instructions between visits, so no cache holds them.$/m,
  );
  expect(JSON.parse((await run(["check", "--config", "c.json", "--json"], { cwd })).stdout)).toMatchObject({
    changingInstructions: [
      { materia: "Build", variable: "{{item.title}}" },
      { materia: "Build", variable: "{{state.tone}}" },
    ],
  });
});
