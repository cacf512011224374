import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { castFile, castsIn, jsonOf, newPlace, readText, run } from "../harness/cli.ts";

const config = {
  materia: {
    Say: { type: "utility", command: ["echo", `{"context":"हैलो 🙂"}`], parse: "json" },
    Plain: { type: "utility", command: ["echo", "hello"], parse: "text" },
    Think: { type: "agent", prompt: "Think.", tools: "none", parse: "text" },
  },
};
const replies = { replies: { Think: [{ text: "a thought" }] } };

async function castPlace(...targets: readonly string[]) {
  const cwd = newPlace({ "conf.json": config, "replies.json": replies });
  const given = ["--config", "conf.json", "--rehearse", "replies.json", "--quiet"];
  await run(["link", ...given, ...targets, "--", "go"], { cwd });
  const [castId = ""] = castsIn(cwd);
  const visitFile = (socket: string, name: string) => castFile(cwd, castId, "sockets", socket, "1", name);
  return { cwd, castId, journal: castFile(cwd, castId, "journal.jsonl"), visitFile };
}

async function asked(cwd: string, ...words: readonly string[]) {
  const { code, stdout } = await run(["doctor", ...words, "--json"], { cwd });
  return { code, told: JSON.parse(stdout) as Record<string, unknown> };
}

function flipBit(path: string, line: number): void {
  const lines = readText(path).split("\n");
  lines[line - 1] = (lines[line - 1] ?? "").replace('"at":"2', '"at":"3');
  writeFileSync(path, lines.join("\n"));
}

const at = (socket: string, name: string) => ({ socket, visit: 1, name });

it("[C26, C43] a sound cast is sound, with every file that a line speaks of", async () => {
  const { cwd, castId } = await castPlace("Say", "Plain", "Think");
  const { code, told } = await asked(cwd, castId);
  expect({ code, ...told }).toMatchObject({ code: 0, castId, sound: true, checked: 10, files: [], issues: [] });
});

it("[C26] a changed byte is named with its line, and nothing behind it counts", async () => {
  const { cwd, castId, journal } = await castPlace("Say", "Say");
  flipBit(journal, 3);
  const { code, told } = await asked(cwd, castId);
  expect({ code, ...told }).toMatchObject({
    code: 1,
    sound: false,
    events: 2,
    issues: [{ code: "damaged_journal", path: "line 3" }],
  });
});

it("[C43] missing, changed, unreadable and linked files are named", async () => {
  const { cwd, castId, visitFile } = await castPlace("Say", "Plain", "Think");
  writeFileSync(visitFile("Socket-1", "handoff.json"), `{"context":"हैलो"}`);
  writeFileSync(visitFile("Socket-1", "input.json"), "{");
  writeFileSync(visitFile("Socket-1", "stderr.txt"), Buffer.from([0xff, 0xfe]));
  writeFileSync(visitFile("Socket-2", "stdout.txt"), "hallo\n");
  const transcript = readText(visitFile("Socket-3", "transcript.jsonl"));
  writeFileSync(visitFile("Socket-3", "transcript.jsonl"), transcript.slice(0, -9));
  rmSync(visitFile("Socket-3", "prompt.md"));
  symlinkSync("/dev/zero", visitFile("Socket-3", "prompt.md"));
  rmSync(visitFile("Socket-3", "output.md"));
  expect((await asked(cwd, castId)).told["files"]).toEqual([
    { ...at("Socket-1", "input.json"), problem: "damaged" },
    { ...at("Socket-1", "stderr.txt"), problem: "damaged" },
    { ...at("Socket-1", "handoff.json"), problem: "damaged" },
    { ...at("Socket-2", "stdout.txt"), problem: "damaged" },
    { ...at("Socket-3", "prompt.md"), problem: "missing" },
    { ...at("Socket-3", "output.md"), problem: "missing" },
    { ...at("Socket-3", "transcript.jsonl"), problem: "damaged" },
  ]);
});

it("[C43] without an id ten files of each cast are named, and the command that names all", async () => {
  const { cwd, castId, visitFile } = await castPlace("Say", "Plain", "Think", "Say");
  for (const socket of ["Socket-1", "Socket-2", "Socket-3", "Socket-4"])
    rmSync(visitFile(socket, ""), { recursive: true });
  const all = (await run(["doctor"], { cwd })).stdout.split("\n");
  expect(all.filter((text) => text.includes("missing"))).toHaveLength(10);
  expect(all).toContainEqual(expect.stringContaining(`and 4 more: materia doctor ${castId}`));
  const one = (await run(["doctor", castId], { cwd })).stdout;
  expect(one.match(/missing/g)).toHaveLength(14);
});

it("[C44] without an id every cast is verified and the damaged ones are listed", async () => {
  const { cwd, castId, journal } = await castPlace("Say");
  await run(["link", "--config", "conf.json", "--quiet", "Say", "--", "again"], { cwd });
  cpSync(castFile(cwd, castId), castFile(cwd, "copied"), { recursive: true });
  cpSync(castFile(cwd, castId), castFile(cwd, "headless"), { recursive: true });
  rmSync(castFile(cwd, "headless", "cast.json"));
  flipBit(journal, 2);
  const { code, told } = await asked(cwd);
  expect({ code, ...told }).toMatchObject({
    code: 1,
    casts: 4,
    damaged: [
      { castId: "headless", issues: [{ code: "bad_cast_file" }] },
      { castId: "copied", issues: [{ code: "bad_cast_file" }] },
      { castId, issues: [{ code: "damaged_journal" }] },
    ],
  });
});

it("[C27, C45] what is sound becomes a new cast that can be resumed; the damaged one stays as it is", async () => {
  const { cwd, castId, journal, visitFile } = await castPlace("Say", "Think", "Plain");
  flipBit(journal, 10);
  rmSync(visitFile("Socket-1", "handoff.json"));
  rmSync(visitFile("Socket-1", "input.json"));
  const before = readText(journal);
  const { code, told } = await asked(cwd, castId, "--salvage");
  const saved = String(told["castId"]);
  expect({ code, ...told }).toMatchObject({
    code: 0,
    from: castId,
    status: "interrupted",
    events: 9,
    mended: [at("Socket-1", "handoff.json")],
    lost: { behind: 9, files: [at("Socket-1", "input.json")] },
  });
  expect(jsonOf(castFile(cwd, saved, "sockets", "Socket-1", "1", "handoff.json"))).toEqual({ context: "हैलो 🙂" });
  expect((await asked(cwd, saved)).told).toMatchObject({ sound: true, events: 9 });
  expect((await run(["show", saved], { cwd })).stdout).toContain(`Salvaged from ${castId}`);
  const resumed = await run(["recast", saved, "--quiet"], { cwd });
  expect({ code: resumed.code, said: resumed.stdout.trim() }).toEqual({ code: 0, said: "hello" });
  expect((await asked(cwd, saved)).told).toMatchObject({ sound: true });
  expect({ text: readText(journal), files: readdirSync(castFile(cwd, castId, "sockets", "Socket-1", "1")) }).toEqual({
    text: before,
    files: ["stderr.txt", "stdout.txt"],
  });
});

it("[C45] the sound part of a transcript is salvaged", async () => {
  const { cwd, castId, visitFile } = await castPlace("Think");
  const lines = readText(visitFile("Socket-1", "transcript.jsonl")).split(/(?<=\n)/);
  writeFileSync(visitFile("Socket-1", "transcript.jsonl"), [...lines.slice(0, -1), "}{\n"].join(""));
  const { told } = await asked(cwd, castId, "--salvage");
  expect(told).toMatchObject({
    status: "completed",
    mended: [at("Socket-1", "transcript.jsonl")],
    lost: { behind: null, files: [] },
  });
  const kept = castFile(cwd, String(told["castId"]), "sockets", "Socket-1", "1", "transcript.jsonl");
  expect(readText(kept)).toBe(lines.slice(0, -1).join(""));
});

it("[C46] a sound cast, and one without a sound line, is refused and leaves no files", async () => {
  const { cwd, castId, journal } = await castPlace("Say");
  await run(["link", "--config", "conf.json", "--quiet", "Plain", "--", "other"], { cwd });
  const other = castsIn(cwd).find((id) => id !== castId) ?? "";
  const refusals = async (...words: readonly string[]) => {
    const { code, stderr } = await run(["doctor", ...words, "--salvage"], { cwd });
    return [code, ...[...stderr.matchAll(/^error (\w+):/gm)].map(([, issue]) => issue)];
  };
  expect(await refusals()).toEqual([2, "missing_cast_id"]);
  expect(await refusals(castId)).toEqual([2, "nothing_to_salvage"]);
  // The journal of another cast fits nowhere.
  cpSync(castFile(cwd, other, "journal.jsonl"), journal);
  expect(await refusals(castId)).toEqual([2, "damaged_journal", "nothing_to_salvage"]);
  rmSync(castFile(cwd, castId, "cast.json"));
  expect(await refusals(castId)).toEqual([2, "bad_cast_file", "nothing_to_salvage"]);
  expect(castsIn(cwd).toSorted()).toEqual([castId, other].toSorted());
});

it("[C46] a foreign cast stays foreign", async () => {
  const { cwd, castId, journal } = await castPlace("Say");
  flipBit(journal, 4);
  const home = newPlace({});
  const { stdout } = await run(["doctor", castId, "--salvage", "--json"], { cwd, env: { XDG_CONFIG_HOME: home } });
  const saved = (JSON.parse(stdout) as { castId: string }).castId;
  const { stderr } = await run(["recast", saved], { cwd, env: { XDG_CONFIG_HOME: home } });
  expect(stderr).toContain("foreign_cast");
});

it("[C46] a cast that runs is not salvaged", async () => {
  const { cwd, castId, journal } = await castPlace("Say");
  flipBit(journal, 4);
  writeFileSync(castFile(cwd, castId, "owner", "2.json"), JSON.stringify(thisProcess()));
  const { code, stderr } = await run(["doctor", castId, "--salvage"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("cast_owned")]);
  expect(castsIn(cwd)).toEqual([castId]);
});
