import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listEquipment } from "../../src/shell/agents/equipped-session.ts";
import { packSkills, unpackSkills, withPackedSkills } from "../../src/shell/agents/packed-skills.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { ask, need, piFolder, rehearsal, scratchFolder } from "../harness/agents.ts";
import { newPlace, put } from "../harness/cli.ts";

const SKILL = "---\nname: release\ndescription: How to release\n---\nTag it.\n";
const OF_PROJECT = SKILL.replace("release", "plan");

async function packed(files: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  const folder = piFolder({});
  put(folder, files);
  const cwd = newPlace({ ".pi/skills/plan/SKILL.md": OF_PROJECT });
  const equipment = await listEquipment([need({ tools: ["read"], skills: ["release", "plan"] })], { cwd });
  const result = await packSkills({ equipment: [...equipment], cwd }, env);
  const refusals = result.ok ? [] : result.issues.map(({ code, path, message, hint }) => [code, path, message, hint]);
  return { cwd, equipment, refusals, text: result.ok ? (result.value["skills.json"] ?? "") : "" };
}

it("[YP18] the submitter's skills are packed, those of the project are not", async () => {
  const files = { "skills/release/SKILL.md": SKILL, "skills/release/run/tag.sh": "git tag" };
  const { text, cwd } = await packed(files);
  expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual([
    "release/release/SKILL.md",
    "release/release/run/tag.sh",
  ]);
  expect(await packSkills({ cwd }, {})).toEqual({ ok: true, value: {} });
});

it("[YP18] agents get the packed skill without having it, and not one that was changed on the way", async () => {
  const { text, cwd, equipment } = await packed({ "skills/release.md": SKILL });
  piFolder({});
  const folder = join(scratchFolder(), "skills");
  const prompts: string[] = [];
  const onProgress = (progress: { kind: string; system?: string }) => void prompts.push(progress.system ?? "");
  const { request } = ask({ cwd, tools: ["read"], skills: ["release", "plan"], onProgress });
  const turn = (brought: string) =>
    withPackedSkills(createRehearsalHost(rehearsal({ Build: [{ text: "done" }] })), equipment, {
      folder,
      text: brought,
    }).runTurn(request);
  expect(await turn(text)).toMatchObject({ kind: "said" });
  expect(prompts.join("")).toContain(join(folder, "release/release.md"));
  expect(prompts.join("")).toContain(join(cwd, ".pi/skills/plan/SKILL.md"));
  // What an agent changes is as it was in the next turn.
  writeFileSync(join(folder, "release/release.md"), "other");
  expect(await turn(text)).toMatchObject({ kind: "said" });
  expect(readFileSync(join(folder, "release/release.md"), "utf8")).toBe(SKILL);
  const other = Buffer.from(SKILL.replace("Tag", "Drop")).toString("base64");
  expect(await turn(JSON.stringify({ "release/release.md": other }))).toMatchObject({
    kind: "failed",
    message: 'the skill "release" did not arrive as it was submitted',
  });
  expect(await turn("{}")).toMatchObject({ kind: "failed", message: expect.stringContaining("did not arrive") });
});

it("[YP18] secrets, large skills, links and odd names refuse the submission, all at once", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const { refusals } = await packed(
    {
      "skills/release/SKILL.md": SKILL,
      "skills/release/key.txt": `use ${token}`,
      "skills/release/env.txt": "password: blue-horse-71",
      "skills/release/a:b": "",
      "skills/release/data": "x".repeat(300_000),
    },
    { MY_PASSWORD: "blue-horse-71" },
  );
  const at = expect.stringMatching(/skills\/release$/);
  const take = "take it out of the file";
  expect(refusals).toHaveLength(4);
  expect(refusals).toEqual(
    expect.arrayContaining([
      ["unusable_equipment", [at], 'the skill "release" has a token of GitHub in release/key.txt', take],
      ["unusable_equipment", [at], 'the skill "release" has the value of MY_PASSWORD in release/env.txt', take],
      [
        "unusable_equipment",
        [at],
        'the skill "release" has a file name that no worker writes: release/a:b',
        "rename it",
      ],
      [
        "files_too_large",
        ["skills"],
        expect.stringContaining("the limit is 256 KB"),
        expect.stringContaining(".pi/skills"),
      ],
    ]),
  );
  expect(JSON.stringify(refusals)).not.toContain(token);
  const folder = piFolder({});
  mkdirSync(join(folder, "skills/release"), { recursive: true });
  writeFileSync(join(folder, "skills/release/SKILL.md"), SKILL);
  symlinkSync("/etc/passwd", join(folder, "skills/release/out"));
  const equipment = [{ kind: "skill" as const, name: "release", digest: "0" }];
  expect(await packSkills({ equipment, cwd: newPlace() }, {})).toMatchObject({
    ok: false,
    issues: [{ code: "unusable_equipment", message: expect.stringContaining("out is a link") }],
  });
});

it.each([
  ["a step up", { "release/../../out": "" }],
  ["a step up at the end", { "release/..": "" }],
  ["a step that stays", { "release/./out": "" }],
  ["an absolute path", { "/tmp/out": "" }],
  ["no folder", { out: "" }],
  ["an empty part", { "release//out": "" }],
  ["a backslash", { "release/..\\out": "" }],
  ["a control sign", { "release/a\nb": "" }],
  ["a zero", { "release/a\0b": "" }],
  ["a long name", { [`release/${"x".repeat(300)}`]: "" }],
  ["a file that is a folder, too", { "release/a": "", "release/a/b": "" }],
  ["no text", { "release/a": 1 }],
  ["a list", ["release/a"]],
  ["nothing", null],
  ["too much", { "release/a": "x".repeat(600_000) }],
])("[YP18] packed skills with %s are not written", (_what, files) => {
  const top = scratchFolder();
  const both = Array.isArray(files) || files === null ? files : { "release/SKILL.md": "", ...files };
  expect(() => unpackSkills(join(top, "skills"), JSON.stringify(both))).toThrow("damaged");
  expect(readdirSync(top)).toEqual([]);
  expect(existsSync(join(top, "../out"))).toBe(false);
});
