import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { isError } from "../../src/core/model/issue.ts";
import { compareEquipment, listEquipment } from "../../src/shell/agents/equipped-session.ts";
import { loadExtensionFiles } from "../../src/shell/agents/extension-files.ts";
import { loadPi } from "../../src/shell/agents/pi-sdk.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { isTrusted, listProgramsToTrust, rememberTrust } from "../../src/shell/config/trust.ts";
import type { AgentRequirement } from "../../src/shell/ports.ts";
import { ask, handTimer, need, piFolder, rehearsal } from "../harness/agents.ts";
import { castsIn, newPlace, put, run } from "../harness/cli.ts";

const CLOCK = `export default (pi) => pi.on("session_start", () => pi.registerTool({
  name: "clock", label: "Clock", description: "the time", parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "noon" }], details: {} }) }));`;
const SKILL = "---\nname: release\ndescription: How to release\n---\nTag it.\n";

function projectWith(files: Readonly<Record<string, unknown>> = {}): string {
  piFolder({});
  const named = { P: { prompt: "plan", extensions: ["clock", "bad", "taker", "slow", "late", "later"] } };
  const config = { ".pi/pi-materia.json": { materia: named } };
  return newPlace({ ...config, ".pi/skills/release/SKILL.md": SKILL, ".pi/extensions/clock.ts": CLOCK, ...files });
}

const host = () => createRehearsalHost(rehearsal({ Build: [{ text: "done" }] }));
const check = async (cwd: string, part: Partial<AgentRequirement>) =>
  (await host().preflight([need(part)], { cwd })).filter(isError).map(({ message, hint }) => `${message} → ${hint}`);

it("[YP1, YP6] a tool arrives with its extension, and is refused without it", async () => {
  const cwd = projectWith();
  expect(await check(cwd, { tools: ["clock"], extensions: ["clock"] })).toEqual([]);
  const two = [need({ tools: ["clock"], extensions: ["clock"] }), need({ tools: ["clock"], materia: "Judge" })];
  expect((await host().preflight(two, { cwd })).filter(isError)).toMatchObject([
    { path: ["materia", "Judge", "tools"] },
  ]);
  expect(await check(cwd, { tools: ["clock"] })).toEqual([expect.stringContaining('"clock" is not a tool of Pi')]);
  expect(await host().runTurn(ask({ cwd, tools: ["clock"] }).request)).toMatchObject({
    kind: "failed",
    message: `the agent's session does not offer "clock", so that no model was asked`,
  });
});

it("[YP1] the refusal of a tool says what would bring it", async () => {
  const cwd = projectWith();
  const needs = [need({ tools: ["clock"], extensions: ["clock"] }), need({ tools: ["clock"], materia: "Judge" })];
  const hints = async (...all: AgentRequirement[]) =>
    (await host().preflight(all, { cwd })).filter(isError).map(({ hint }) => hint);
  expect(await hints(...needs)).toEqual(['Build has it: name the same "extensions" and "mcp" here']);
  expect(await hints(need({ tools: ["mcp__db__query"] }))).toEqual(['"mcp": ["db"] may bring it']);
});

it("[YP17] check warns of what is unknown here, and runs nothing of it", async () => {
  const materia = {
    P: { prompt: "plan", tools: "readOnly", skills: ["releas"], extensions: ["bad"], sandbox: "strict" },
    Q: { prompt: "ask", tools: { type: "custom", tools: ["clock"] } },
  };
  const sockets = {
    "Socket-1": { materia: "P", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Q" },
  };
  const config = { materia, loadouts: { Main: { entry: "Socket-1", sockets } } };
  const bad = `export default () => { throw new Error("it was run"); };`;
  const cwd = projectWith({ ".pi/pi-materia.json": config, ".pi/extensions/bad.ts": bad });
  const { code, stdout } = await run(["check", "--json"], { cwd });
  const { issues } = JSON.parse(stdout) as { issues: readonly { code: string; path: string; file: string }[] };
  expect(code).toBe(0);
  expect(issues.map((issue) => [issue.code, issue.path, issue.file.endsWith("pi-materia.json")])).toEqual([
    ["unknown_sandbox", "materia.P.sandbox", true],
    ["unknown_tool", "materia.Q.tools", true],
    ["unknown_skill", "materia.P.skills", true],
  ]);
  expect((await run(["check", "--strict"], { cwd })).code).toBe(1);
});

it("[YP7] a turn refuses an extension that its machine lacks", async () => {
  const cwd = projectWith();
  const turn = host().runTurn(ask({ cwd, tools: [], extensions: ["other"] }).request);
  expect(await turn).toMatchObject({ kind: "failed", message: expect.stringContaining('no extension "other"') });
});

it("[YP16] an extension prints to standard error", async () => {
  const folder = piFolder({});
  put(folder, {
    "extensions/noisy.ts": `console.log("noise"); export default () => { console.info("more"); process.stdout.write("most"); };`,
  });
  const printed: unknown[] = [];
  const hear = (text: unknown): boolean => printed.push(text) > 0;
  const spies = [
    vi.spyOn(console, "error").mockImplementation(hear),
    vi.spyOn(process.stderr, "write").mockImplementation(hear),
  ];
  const write = process.stdout.write.bind(process.stdout);
  onTestFinished(() => {
    spies.forEach((spy) => spy.mockRestore());
    process.stdout.write = write;
  });
  expect(await check(newPlace(), { tools: [], extensions: ["noisy"] })).toEqual([]);
  expect(printed).toEqual(["noise", "more", "most"]);
});

it("[YP7] a worker compares the submitter's skills and extensions with its own", async () => {
  const folder = piFolder({});
  put(folder, { "skills/release/SKILL.md": SKILL, "extensions/clock.ts": CLOCK });
  const needs = [need({ tools: ["read"], skills: ["release", "plan"], extensions: ["clock", "other"] })];
  const cwd = newPlace({ ".pi/skills/plan/SKILL.md": SKILL.replace("release", "plan") });
  const wanted = await listEquipment(needs, { cwd });
  expect(wanted.map(({ name, ofProject = false }) => [name, ofProject])).toEqual([
    ["release", false],
    ["plan", true],
    ["clock", false],
  ]);
  expect(await compareEquipment(wanted)).toBeUndefined();
  put(folder, { "extensions/clock.ts": `${CLOCK}\n` });
  expect(await compareEquipment(wanted)).toContain('another version of the extension "clock"');
  piFolder({});
  expect(await compareEquipment(wanted)).toMatch(/no skill "release".*no extension "clock"/);
});

it("[YP2] the system prompt names a skill with its place, and no other", async () => {
  const cwd = projectWith({ ".pi/skills/other/SKILL.md": SKILL.replace("release", "other") });
  const prompts: string[] = [];
  const onProgress = (progress: { kind: string; system?: string }) => void prompts.push(progress.system ?? "");
  await host().runTurn(ask({ cwd, tools: ["read"], skills: ["release"], onProgress }).request);
  expect(prompts.join("")).toContain(join(cwd, ".pi/skills/release/SKILL.md"));
  expect(prompts.join("")).not.toContain("skills/other");
});

it("[YP3] skills that cannot be used are refused with the way out", async () => {
  const cwd = projectWith({ ".pi/skills/large/SKILL.md": SKILL.replace("release", "large") });
  writeFileSync(join(cwd, ".pi/skills/large/data"), Buffer.alloc(5_000_000));
  mkdirSync(join(cwd, ".pi/skills/linked"));
  writeFileSync(join(cwd, ".pi/skills/linked/SKILL.md"), SKILL.replace("release", "linked"));
  symlinkSync("/etc/passwd", join(cwd, ".pi/skills/linked/out"));
  const skills = (name: string) => check(cwd, { tools: ["read"], skills: [name] });
  expect(await skills("releas")).toEqual([expect.stringMatching(/no skill "releas".*did you mean "release"/)]);
  expect(await skills("zzzzzzzz")).toEqual([expect.stringMatching(/there are .*release/)]);
  expect(await skills("large")).toEqual([expect.stringContaining("more than 500 files or 4 MB")]);
  expect(await skills("linked")).toEqual([expect.stringContaining("out is a link")]);
  expect(await check(cwd, { tools: [], skills: ["release"] })).toEqual([expect.stringContaining("cannot read them")]);
  put(cwd, { ".pi/skills/bare/SKILL.md": "Tag it.", ".pi/skills/again/release/SKILL.md": SKILL });
  expect(await skills("bare")).toEqual([
    expect.stringMatching(/Pi leaves out the skill "bare": description is required → look at .*bare\/SKILL.md/),
  ]);
  expect(await skills("release")).toEqual([
    expect.stringMatching(/several skills "release".* → rename .*release\/SKILL.md or .*release\/SKILL.md/),
  ]);
});

it("[YP6] an extension that cannot be loaded is refused by name", async () => {
  const cwd = projectWith({
    ".pi/extensions/bad.ts": `export default () => { throw new Error("no luck"); };`,
    ".pi/extensions/taker.ts": `export default (pi) => pi.registerTool({ name: "hand_over", label: "x", description: "x", parameters: { type: "object", properties: {} }, execute: async () => ({}) });`,
    ".pi/extensions/slow.ts": "export default () => new Promise(() => {});",
    ".pi/extensions/late.ts": `export default (pi) => pi.on("session_start", () => { throw new Error("no clock"); });`,
  });
  const extension = (name: string) => check(cwd, { tools: [], extensions: [name] });
  expect(await extension("clok")).toEqual([expect.stringContaining('did you mean "clock"')]);
  expect(await extension("bad")).toEqual([expect.stringContaining("the extension bad cannot be loaded: no luck")]);
  expect(await extension("late")).toEqual([
    expect.stringMatching(/extension late failed at the start.*no clock → fix it/),
  ]);
  expect(await extension("taker")).toEqual([expect.stringContaining("extension taker")]);
  put(cwd, {
    ".pi/extensions/later.ts": `export default (pi) => pi.on("session_start", () => pi.registerTool({ name: "hand_over", label: "x", description: "x", parameters: { type: "object", properties: {} }, execute: async () => ({}) }));`,
  });
  expect(await extension("later")).toEqual([expect.stringContaining("extension later has a tool named hand_over")]);
  const timer = handTimer();
  const slow = loadExtensionFiles(
    await loadPi(),
    { cwd, files: [join(cwd, ".pi/extensions/slow.ts")] },
    (_ms, fire) => {
      fire();
      return timer.after(0, () => undefined);
    },
  );
  await expect(slow).rejects.toThrow("slow did not load within 30 s");
});

it("[YP6] an extension that does not start ends the wait", async () => {
  const cwd = projectWith({
    ".pi/extensions/slow.ts": `export default (pi) => pi.on("session_start", () => { globalThis.hasSlowStarted = true; return new Promise(() => {}); });`,
  });
  const timer = handTimer();
  const slow = createRehearsalHost(rehearsal({}), { after: timer.after });
  const refused = slow.preflight([need({ tools: [], extensions: ["slow"] })], { cwd });
  await vi.waitFor(() => expect(globalThis).toHaveProperty("hasSlowStarted"));
  timer.fire(30_000);
  expect(await refused).toMatchObject([{ message: "the extension slow did not start within 30 s" }]);
});

it("[YP4, YP15] a cast and its fork record what their agents were given", async () => {
  const materia = { P: { prompt: "plan", tools: "readOnly", skills: ["release"] } };
  const cwd = projectWith({ ".pi/pi-materia.json": { materia }, "r.json": { replies: { P: [{ text: "done" }] } } });
  expect((await run(["link", "P", "--trust", "--rehearse", "r.json", "--", "go"], { cwd })).code).toBe(0);
  const shown = (...more: readonly string[]) => run(["show", castsIn(cwd)[0] ?? "", "Socket-1", ...more], { cwd });
  expect((await shown()).stdout).toMatch(/Had +skill release/);
  expect(JSON.parse((await shown("--json")).stdout)).toMatchObject({ equipment: ["skill release"] });
  expect((await run(["fork", "last@Socket-1#1"], { cwd })).code).toBe(0);
  const casts = join(cwd, ".pi/pi-materia");
  const names = readdirSync(casts).filter((name) => /^\d/.test(name));
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const given = { kind: "skill", name: "release", digest, ofProject: true };
  for (const name of names) {
    const file = JSON.parse(readFileSync(join(casts, name, "cast.json"), "utf8"));
    expect(file.equipment).toEqual([given]);
  }
  expect(names).toHaveLength(2);
  expect((await run(["replay", "last"], { cwd })).code).toBe(0);
  put(cwd, { ".pi/skills/release/SKILL.md": `${SKILL}And push it.` });
  const replayed = await run(["replay", "last", "--json"], { cwd });
  const message = "the skill release has changed since the cast";
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([
    3,
    { same: false, differences: [{ visit: "Socket-1#1", kind: "prompt", message }] },
  ]);
});

it("[YP5] trust lists the names and ends when a skill of the project changes", () => {
  const raw = {
    materia: {
      P: { prompt: "plan", skills: ["release"], extensions: ["clock"], mcp: ["db"], sandbox: "strict" },
      Gate: { type: "utility", gate: true, command: ["npm", "test"], sandbox: "none" },
    },
  };
  const cwd = projectWith();
  const place = { cwd, env: { XDG_CONFIG_HOME: join(cwd, "../home") } };
  expect(listProgramsToTrust(cwd, raw).equipment).toEqual([
    "skill release",
    "extension clock",
    "MCP server db",
    "sandbox strict",
    "no sandbox for `npm test`",
  ]);
  rememberTrust(place, raw);
  expect(isTrusted(place, raw)).toBe(true);
  put(cwd, { ".pi/skills/release/SKILL.md": `${SKILL}And push it.` });
  expect(isTrusted(place, raw)).toBe(false);
});

it("[YP5] skills in other folders, and extensions that Pi's settings name, are watched", () => {
  const raw = { materia: { P: { prompt: "plan", skills: ["release"], extensions: ["ext"] } } };
  const files = {
    ".pi/skills/release/SKILL.md": SKILL.replace("release", "other"),
    ".pi/skills/group/shipping/SKILL.md": SKILL,
    ".agents/skills/notes/SKILL.md": SKILL,
    ".pi/settings.json": { extensions: ["../tools/ext.ts"] },
    "tools/ext.ts": CLOCK,
  };
  const cwd = projectWith(files);
  const place = { cwd, env: { XDG_CONFIG_HOME: join(cwd, "../home") } };
  const asksAgain = (name: string): boolean => {
    rememberTrust(place, raw);
    put(cwd, { [name]: `${JSON.stringify(files)}\n` });
    return !isTrusted(place, raw);
  };
  expect(Object.keys(files).filter((name) => !asksAgain(name))).toEqual([]);
});
