import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { castFile, castsIn, newPlace, readText, run } from "../harness/cli.ts";

const config = { materia: { Say: { type: "utility", command: ["echo", "{}"], parse: "json" } } };
const doctor = async (cwd: string) => {
  const { code, stdout } = await run(["doctor", "--json"], { cwd });
  return { code, ...(JSON.parse(stdout) as { sound: boolean; events: number; missing: string[]; issues: unknown[] }) };
};

it("[C26] a sound cast is sound; a changed byte and a missing file are named", async () => {
  const cwd = newPlace({ "conf.json": config });
  await run(["link", "--config", "conf.json", "--quiet", "Say", "--", "go"], { cwd });
  const [castId = ""] = castsIn(cwd);
  const sound = await doctor(cwd);
  expect(sound).toMatchObject({ code: 0, sound: true, missing: [], issues: [] });
  const journal = castFile(cwd, castId, "journal.jsonl");
  const text = readText(journal);
  writeFileSync(journal, text.replace('"seq":3', '"seq":2'));
  expect(await doctor(cwd)).toMatchObject({ code: 1, sound: false, events: 2, issues: [{ code: "damaged_journal" }] });
  writeFileSync(journal, text);
  rmSync(castFile(cwd, castId, "sockets", "Socket-1", "1", "handoff.json"));
  expect(await doctor(cwd)).toMatchObject({ code: 1, missing: ["Socket-1 visit 1, handoff.json"] });
});
