import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { enableToolsUser } from "../../src/shell/fleet/worker/tools-user-folders.ts";
import { findToolsUser } from "../../src/shell/process/tools-user.ts";
import { put } from "../harness/cli.ts";
import { fileOf, fleetPlace, statusOn } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = "nobody";
/** What the worker knows and its tools must not. */
const KEY = "k-0815-4711-not-for-tools";

const SKILL = "---\nname: release\ndescription: How to release\n---\nTag it.\n";
const TELL = `id -un >> "$0.txt"; env >> "$0.txt"; echo "{}"`;
const COMMIT = "git -c user.name=t -c user.email=t@t commit -qam";

const CONFIG = {
  materia: {
    Program: { type: "utility", command: ["sh", "-c", TELL, "program"], parse: "json", env: ["ACME_API_KEY"] },
    Agent: { type: "agent", prompt: "Do it.", tools: "coding", skills: ["release"] },
  },
  loadouts: {
    Both: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Program", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Agent", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": { materia: "Program" },
      },
    },
  },
};

it.runIf(isRoot)(
  "[B25, YP18] tools and programs run as another user, with nothing of the worker's environment",
  async () => {
    const place = await fleetPlace();
    const folder = mkdtempSync("/tmp/materia-tools-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o711);
    const secret = join(folder, "secret.txt");
    writeFileSync(secret, "of root alone", { mode: 0o600 });
    const tools = [
      {
        name: "bash",
        arguments: { command: `id -un > agent.txt; env >> agent.txt; git add -A; ${COMMIT} mine; cat ${secret}` },
      },
      { name: "bash", arguments: { command: 'cat "$PWD".skills/release/release/SKILL.md > skill.txt' } },
      { name: "write", arguments: { path: "written.txt", content: "one\n" } },
      { name: "edit", arguments: { path: "written.txt", edits: [{ oldText: "one", newText: "two" }] } },
      { name: "read", arguments: { path: "written.txt" } },
      { name: "read", arguments: { path: secret } },
      { name: "write", arguments: { path: join(folder, "outside.txt"), content: "x" } },
      { name: "ls", arguments: {} },
    ];
    put(join(dirname(place.cwd), "home"), { ".pi/agent/skills/release/SKILL.md": SKILL });
    put(place.cwd, { "conf.json": CONFIG, "replies.json": { replies: { Agent: [{ tools, text: "done" }] } } });
    // As in a root's shell that keeps files private.
    const mask = process.umask(0o077);
    onTestFinished(() => void process.umask(mask));
    const worker = await place.worker({
      folder: join(folder, "work"),
      toolsUser: NOBODY,
      concurrency: 1,
      env: { ACME_API_KEY: KEY },
    });
    const sent = await place.materia("cast", "--loadout", "Both", "--rehearse", "replies.json", "--detach", "go");
    const castId = sent.stdout.trim();
    const status = await until(async () => {
      const now = await statusOn(place, castId);
      return now === "completed" || now === "failed" ? now : undefined;
    });
    await until(() => worker.said.some((said) => said["castId"] === castId));
    expect([status, worker.said.at(-1)]).toEqual(["completed", expect.objectContaining({ how: "completed" })]);
    expect((await place.materia("take", castId)).code).toBe(0);
    const branch = `materia/${castId}`;
    for (const file of ["program.txt", "agent.txt"]) {
      const told = fileOf(place.cwd, branch, file);
      expect(told.split("\n")[0]).toBe(NOBODY);
      expect(told).not.toContain(KEY);
      expect(told).not.toContain("FLEET_URL");
    }
    expect(fileOf(place.cwd, branch, "written.txt")).toBe("two");
    expect(fileOf(place.cwd, branch, "skill.txt")).toContain("Tag it.");
    const [row] = await place.database.query<{ body: string }>({
      text: "select convert_from(body, 'UTF8') as body from materia.artifacts where name = 'transcript.jsonl'",
    });
    expect(row?.body).not.toContain("of root alone");
    expect(row?.body.match(/EACCES|[Pp]ermission denied/g)?.length).toBeGreaterThanOrEqual(3);
  },
);

it("[B65] two casts at once as one user are refused: they could reach each other", async () => {
  expect(await enableToolsUser(NOBODY, 2)).toMatchObject({ ok: false, issues: [{ code: "bad_option" }] });
});

it("[B65] an unknown user, and root, is refused", () => {
  const refused = findToolsUser("nobody-of-this-name");
  expect(refused).toMatchObject({ ok: false, issues: [{ code: isRoot ? "unknown_user" : "command_unavailable" }] });
  expect(findToolsUser("root")).toMatchObject({ ok: false });
});
