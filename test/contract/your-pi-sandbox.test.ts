import { execFileSync } from "node:child_process";
import { readFileSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { listEquipment } from "../../src/shell/agents/equipped-session.ts";
import { packSkills, withPackedSkills } from "../../src/shell/agents/packed-skills.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { checkToolsCanRun } from "../../src/shell/agents/tool-process.ts";
import { wrapInSandbox } from "../../src/shell/process/sandbox.ts";
import { ask, need, piFolder, rehearsal, scratchFolder } from "../harness/agents.ts";
import { castFile, castsIn, newPlace, put, readText, run, userFolder } from "../harness/cli.ts";

const IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@b.c"];

/** Starts every program in another folder, so that each one shows whether it was started through it. */
const elsewhere = (folder: string) => ["sh", "-c", 'cd "$0"; exec "$@"', folder];

function placeWith(materia: unknown, sandboxes: unknown, replies: unknown = {}): string {
  const cwd = newPlace({ ".pi/pi-materia.json": { materia }, "r.json": { replies } });
  put(userFolder(cwd), { "materia.json": { sandboxes } });
  return cwd;
}

const cast = (cwd: string, ...targets: readonly string[]) =>
  run(["link", ...targets, "--trust", "--rehearse", "r.json", "--", "go"], { cwd });

it("[YP8] file tools and commands of an agent run through the sandbox's command", async () => {
  const inside = newPlace({ "note.txt": "inside" });
  const cwd = newPlace({ "note.txt": "outside" });
  const tools = [
    { name: "read", arguments: { path: "note.txt" } },
    { name: "bash", arguments: { command: "cat note.txt > copy.txt" } },
  ];
  const host = createRehearsalHost(rehearsal({ Build: [{ tools, text: "done" }] }));
  const sandbox = { name: "strict", command: elsewhere(inside) };
  const { request, progress } = ask({ cwd, tools: ["read", "bash"], sandbox });
  expect(await host.runTurn(request)).toMatchObject({ kind: "said" });
  expect(JSON.stringify(progress)).toContain("inside");
  expect(readFileSync(join(inside, "copy.txt"), "utf8")).toBe("inside");
});

it("[YP8] only the user's own file defines sandboxes, as words without a shell", () => {
  const read = (layer: "user" | "project", command: unknown) =>
    readLayer(layer, { sandboxes: { strict: { command } } }).issues.map(({ message }) => message);
  expect(read("user", ["bwrap", "{{cwd}}"])).toEqual([]);
  expect(read("project", ["bwrap"])).toEqual([`only the user's own configuration may set "sandboxes"`]);
  expect(read("user", "bwrap --foo")).toEqual([expect.stringContaining("no shell reads it")]);
  expect(read("user", ["bwrap", "{{repo}}"])).toEqual([expect.stringMatching(/and no others; found "\{\{repo\}\}"/)]);
});

it("[YP8] the folder of git is that of a linked tree, and never one that an agent writes into its tree", () => {
  const cwd = realpathSync(newPlace({ "a.txt": "a" }));
  const tree = join(dirname(cwd), "tree");
  const git = (...args: readonly string[]) => execFileSync("git", [...IDENTITY, ...args], { cwd });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "a");
  git("worktree", "add", "--quiet", tree);
  const words = (at: string) => wrapInSandbox({ name: "s", command: ["box", "{{cwd}}", "{{gitDir}}"] }, ["true"], at);
  expect(words(cwd)).toEqual(["box", cwd, join(cwd, ".git"), "true"]);
  expect(words(tree)).toEqual(["box", tree, join(cwd, ".git"), "true"]);
  const secret = join(dirname(cwd), "secret");
  mkdirSync(secret);
  writeFileSync(join(tree, ".git"), `gitdir: ${secret}\n`);
  expect(words(tree)).toEqual(["box", tree, tree, "true"]);
});

it("[YP9] gates run in the agents' sandbox, unless they say none", async () => {
  const gate = { type: "utility", gate: true, command: ["pwd"] };
  const materia = {
    Build: { prompt: "build", sandbox: "strict" },
    Inside: gate,
    Outside: { ...gate, sandbox: "none" },
  };
  const cwd = placeWith(materia, { strict: { command: elsewhere("{{home}}") } }, { Build: [{ text: "done" }] });
  expect((await cast(cwd, "Build", "Inside", "Outside")).code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  const printed = (socket: string) => readText(castFile(cwd, castId, "sockets", socket, "1", "stdout.txt"));
  expect(printed("Socket-2").trim()).not.toBe(cwd);
  expect(printed("Socket-3").trim()).toBe(cwd);
});

it("[YP9] a gate beside agents with several sandboxes must say which", async () => {
  const command = ["env"];
  const materia = {
    Build: { prompt: "build", sandbox: "one" },
    Judge: { prompt: "judge", sandbox: "two" },
    Gate: { type: "utility", gate: true, command: ["true"] },
  };
  const cwd = placeWith(materia, { one: { command }, two: { command } });
  expect((await cast(cwd, "Build", "Judge", "Gate")).stderr).toContain("agents of this cast have several sandboxes");
});

it("[YP10] a sandbox that is missing or does not start refuses the cast, which leaves no trace", async () => {
  const materia = { Build: { prompt: "build", tools: "coding", sandbox: "strict" } };
  const refusal = async (sandboxes: unknown) => {
    const cwd = placeWith(materia, sandboxes, { Build: [{ text: "done" }] });
    const { code, stderr } = await cast(cwd, "Build");
    expect(code).toBe(2);
    expect(castsIn(cwd)).toEqual([]);
    return stderr;
  };
  expect(await refusal({ strikt: { command: ["env"] } })).toContain('did you mean "strikt"?');
  expect(await refusal({ strict: { command: ["no-such-box"] } })).toContain("there is no program no-such-box");
  expect(await refusal({ strict: { command: ["sh", "-c", "echo no rights >&2; exit 1"] } })).toContain("no rights");
});

it("[YP3] a skill that its agent cannot read in its sandbox refuses the cast", async () => {
  const folder = piFolder({});
  put(folder, { "skills/release/SKILL.md": "---\nname: release\ndescription: how\n---\nTag it.\n" });
  const host = createRehearsalHost(rehearsal({}));
  // Stands in for a file system in which the folder is hidden.
  const hide = [
    "sh",
    "-c",
    'mv "$0" "$0.hidden"; "$@"; end=$?; mv "$0.hidden" "$0"; exit $end',
    join(folder, "skills"),
  ];
  const refusals = (command: readonly string[]) =>
    host.preflight([need({ tools: ["read"], skills: ["release"], sandbox: { name: "strict", command } })], {
      cwd: "/",
    });
  expect(await refusals(["env"])).toEqual([]);
  expect(await refusals(hide)).toMatchObject([
    { message: expect.stringMatching(/^Build cannot read its skills in the sandbox "strict": ENOENT/) },
  ]);
});

it("[YP18] a skill that came with the cast and that its agent cannot read in its sandbox fails the turn", async () => {
  put(piFolder({}), { "skills/release/SKILL.md": "---\nname: release\ndescription: how\n---\nTag it.\n" });
  const asked = { cwd: newPlace(), tools: ["read"], skills: ["release"] };
  const equipment = await listEquipment([need(asked)], asked);
  const packed = await packSkills({ equipment: [...equipment], cwd: asked.cwd }, {});
  piFolder({});
  const folder = join(scratchFolder(), "skills");
  const text = packed.ok ? (packed.value["skills.json"] ?? "") : "";
  const host = withPackedSkills(createRehearsalHost(rehearsal({ Build: [{ text: "done" }] })), equipment, {
    folder,
    text,
  });
  const turn = (command: readonly string[]) =>
    host.runTurn({ ...ask(asked).request, sandbox: { name: "strict", command } });
  const hide = ["sh", "-c", 'mv "$0" "$0.hidden"; "$@"; end=$?; mv "$0.hidden" "$0"; exit $end', folder];
  expect(await turn(hide)).toMatchObject({
    kind: "failed",
    message: expect.stringMatching(/^the agent cannot read the skills that came with the cast: ENOENT/),
  });
  expect(await turn(["env"])).toMatchObject({ kind: "said" });
});

it("[YP10] a sandbox that never starts is ended", async () => {
  const sandbox = { name: "strict", command: ["sh", "-c", "exec sleep 1000"] };
  const now = (_ms: number, fire: () => void) => {
    fire();
    return () => undefined;
  };
  expect(await checkToolsCanRun({ sandbox }, "/", now)).toBe("it did not start within 30 s");
});

it("[YP10] a turn fails where its sandbox is not defined", async () => {
  const host = createRehearsalHost(rehearsal({ Build: [{ text: "done" }] }));
  const turn = await host.runTurn(ask({ tools: ["read"], sandbox: { name: "strict" } }).request);
  expect(turn).toMatchObject({ kind: "failed", message: 'the configuration of this user has no sandbox "strict"' });
});
