import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Command } from "../../src/core/command/command.ts";
import { journalOf, materia, repositoryPlace, setReplies, writes } from "../git/cast-place.ts";
import { git } from "../git/scratch.ts";
import { envOf, put } from "../harness/cli.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { viewWithoutCasts } from "../trees/tree-place.ts";
import { ended, site } from "../webserver/harness.ts";

const judged = (builder: string, judge: string) => ({
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: builder, edges: [{ to: "Socket-2", when: "always" }] },
    "Socket-2": {
      materia: judge,
      edges: [
        { to: "Socket-1", when: "not_satisfied", maxTraversals: 9 },
        { to: "end", when: "satisfied" },
      ],
    },
  },
});

const CONFIG = {
  materia: {
    Make: { prompt: "Make it.", tools: "coding", parse: "text" },
    Idle: { prompt: "Make it.", tools: "coding", parse: "text" },
    Look: { prompt: "Judge it.", tools: "readOnly", parse: "json" },
    Strict: { prompt: "Judge it.", tools: "readOnly", parse: "json" },
    Ask: { type: "person", question: "May I drop the old table?" },
  },
  loadouts: { Small: judged("Make", "Look"), Asking: judged("Make", "Ask"), Refused: judged("Idle", "Strict") },
};

const no = { json: { satisfied: false, context: "The store has its old name." } };
const yes = { json: { satisfied: true } };
const REPLIES = {
  Make: [writes({ "new.txt": "draft\ntodo\n" }), writes({ "new.txt": "mended\ndone\n" })],
  Idle: [{ text: "Nothing to do." }, { text: "Nothing to do." }, { text: "Nothing to do." }],
  Look: [yes, yes],
  Strict: [no, no, no],
};
const REFUSED = { ...REPLIES, Make: [{ error: "limit", resetMs: 3_600_000 }, ...REPLIES.Make] };

/** A repository with a staged, a changed and an untracked file, and a stash. */
function busyPlace(): string {
  const cwd = repositoryPlace(REFUSED, CONFIG);
  put(cwd, { "first.txt": "stashed\n" });
  git(cwd, "stash");
  put(cwd, { "first.txt": "staged\n" });
  git(cwd, "add", "first.txt");
  put(cwd, { "first.txt": "changed\n", "mine.txt": "mine\n" });
  return cwd;
}

interface Row {
  readonly castId: string;
  readonly cwd: string;
  readonly status: string;
  readonly request: string;
  readonly command: string;
}

it("[YQ6, YT1, YW2] an evening: a limit, a kill, a question and a refusal; in the morning takes and a send-back", async () => {
  const [website, shop] = [busyPlace(), busyPlace()];
  const env = { HOME: envOf(website)["HOME"] ?? "", XDG_CONFIG_HOME: envOf(website)["XDG_CONFIG_HOME"] ?? "" };
  const at = (cwd: string, ...args: readonly string[]) => materia(cwd, args, { env });
  const json = async (cwd: string, ...args: readonly string[]) => JSON.parse((await at(cwd, ...args, "--json")).stdout);
  const runAll = (cwd: string, ...more: readonly string[]) =>
    at(cwd, "queue", "run", "--rehearse", join(cwd, "../home/replies.json"), "--at-once", "2", ...more);
  const inbox = async (): Promise<readonly Row[]> => json(website, "inbox");
  const views = () => [viewWithoutCasts(website), viewWithoutCasts(shop)];
  const before = views();

  put(website, { "../home/backlog.md": "- a\n- [x] done\n- b\n- c\n- d\n" });
  await at(website, "queue", "add", `@${join(website, "../home/backlog.md")}`);
  await at(shop, "queue", "add", "e");
  await at(shop, "queue", "add", "--loadout", "Asking", "f");
  await at(shop, "queue", "add", "--loadout", "Refused", "g");
  await at(shop, "queue", "add", "h");
  for (const cwd of [website, shop]) {
    const { pid } = JSON.parse((await runAll(cwd, "--wait", "8h", "--detach", "--json")).stdout) as { pid: number };
    onTestFinished(() => ignoreGone(() => process.kill(pid, "SIGKILL")));
    const asleep = async () =>
      ((await json(cwd, "queue")) as Row[]).filter(({ status }) => status === "sleeping").length;
    await until(async () => (await asleep()) === 2);
    process.kill(pid, "SIGKILL");
  }
  await until(async () => (await inbox()).filter(({ status }) => status === "paused").length === 4);
  expect(views()).toEqual(before);

  // A cast that goes on uses the reply behind the refusal.
  setReplies(website, { ...REPLIES, Make: [...REPLIES.Make, ...REPLIES.Make] });
  setReplies(shop, { ...REPLIES, Make: [...REPLIES.Make, ...REPLIES.Make] });
  expect((await runAll(website)).code).toBe(0);
  expect((await runAll(shop)).code).toBe(1);
  expect(views()).toEqual(before);

  const rows = await inbox();
  expect(rows.map(({ status, request }) => `${status} ${request}`).toSorted()).toEqual(
    "completed a,completed b,completed c,completed d,completed e,completed h,failed g,waiting f".split(","),
  );
  expect(rows.slice(0, 2).map(({ request }) => request)).toEqual(["f", "g"]);
  const idOf = (wanted: string) => rows.find(({ request }) => request === wanted)?.castId ?? "";
  expect((await at(shop, "continue", idOf("f"), "--quiet")).code).toBe(0);
  expect((await at(shop, "recast", idOf("g"), "--accept", "--quiet")).code).toBe(0);
  for (const [cwd, wanted] of [
    [website, "a"],
    [website, "b"],
    [shop, "e"],
  ] as const)
    expect((await at(cwd, "take", idOf(wanted))).code).toBe(0);
  expect(views()).toEqual(before);
  expect((await at(website, "take", idOf("d"), "--merge")).code).toBe(0);
  expect(git(website, "log", "--format=%s")).toBe("d\nfirst");

  const page = site({
    place: { cwd: website, env, explicitFile: join(website, "../home/materia.json") },
    cwd: website,
    root: join(website, ".pi/pi-materia"),
    write: () => "",
  });
  const comments = "new.txt:1: no draft\nnew.txt:2: do it";
  const handoff = JSON.stringify({ satisfied: false, context: comments });
  const command: Command = { kind: "fork", castId: idOf("c"), visit: "Socket-2#1", handoff };
  const sent = await page.send("/api/commands", {
    command,
    options: { rehearse: join(website, "../home/replies.json") },
  });
  const { castId } = (await sent.json()) as { castId: string };
  await ended(page, castId);
  expect(journalOf(website, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
  const prompt = await page.ask(`/api/casts/${castId}/files/Socket-1/2/prompt.md`);
  expect(await prompt.text()).toContain(comments);
  expect((await at(website, "take", castId)).code).toBe(0);
  expect(git(website, "show", `materia/${castId}:new.txt`)).toBe("mended\ndone");
});

function ignoreGone(action: () => void): void {
  try {
    action();
  } catch {
    // It has ended before.
  }
}
