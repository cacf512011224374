import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { castsIn, newPlace, readText, runProcess } from "../harness/cli.ts";

const preload = new URL("../harness/recorded-syncs.mjs", import.meta.url).href;
const config = {
  materia: {
    Say: { type: "utility", command: ["echo", `{"context":"hello"}`], parse: "json" },
    Think: { type: "agent", prompt: "Think.", tools: "none", parse: "json" },
  },
};
const replies = { replies: { Think: [{ text: "{}" }] } };

/** What one cast synced, in order, by names relative to its folder. */
async function syncsOf(cwd: string, durability: readonly string[]) {
  const record = join(dirname(cwd), "syncs");
  const args = ["link", "--config", "conf.json", "--rehearse", "replies.json", "--quiet", ...durability];
  const { code } = await runProcess([...args, "Say", "Think", "--", "go"], {
    cwd,
    env: { NODE_OPTIONS: `--import ${preload}`, MATERIA_TEST_SYNCS: record },
  });
  expect(code).toBe(0);
  const folder = join(cwd, ".pi", "pi-materia", castsIn(cwd).at(-1) ?? "");
  const text = durability.length === 0 ? "" : readText(record);
  const names = text.split("\n").map((path) => relative(folder, path) || ".");
  return names.slice(0, -1);
}

const SYNC = ["--durability", "sync"];

it.skipIf(process.platform !== "linux")(
  "[D7] every file of a visit is synced, and its folders, before a line of the journal that speaks of it",
  async () => {
    const names = await syncsOf(newPlace({ "conf.json": config, "replies.json": replies }), SYNC);
    const lastLine = names.lastIndexOf("journal.jsonl");
    const files = {
      "sockets/Socket-1/1": ["input.json", "stdout.txt", "stderr.txt", "handoff.json"],
      "sockets/Socket-2/1": ["prompt.md", "output.md", "handoff.json", "transcript.jsonl"],
    };
    for (const [folder, inside] of Object.entries(files)) {
      const expected = [...inside.map((file) => `${folder}/${file}`), folder, dirname(folder)];
      expect(expected.filter((name) => !names.slice(0, lastLine).includes(name))).toEqual([]);
      const written = names.indexOf(`${folder}/handoff.json`);
      expect(names.slice(written, names.indexOf("journal.jsonl", written))).toContain(folder);
    }
    expect(names).toEqual(expect.arrayContaining(["sockets", "."]));
  },
);

it.skipIf(process.platform !== "linux")(
  "[D7] the folders above a new cast are synced up to the first that existed before",
  async () => {
    const cwd = newPlace({ "conf.json": config, "replies.json": replies });
    const first = await syncsOf(cwd, SYNC);
    expect(first.filter((name) => /^[./]+$/.test(name) && name !== ".")).toEqual(["..", "../..", "../../.."]);
  },
);

it.skipIf(process.platform !== "linux")("[D7] without it nothing waits for the disk", async () => {
  const cwd = newPlace({ "conf.json": config, "replies.json": replies });
  await syncsOf(cwd, []);
  expect(() => readText(join(dirname(cwd), "syncs"))).toThrow("ENOENT");
});
