import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { castHere, lastCast, repositoryPlace, writes } from "../git/cast-place.ts";
import { castOf, ended, json, refusal, site, type Project, type Site } from "./harness.ts";

const LINE = "एक पंक्ति of very many";
const LONG = `${LINE}\n`.repeat(60_000);
const REPLIES = {
  Make: [writes({ "src/a.txt": "one\n", "b.txt": "b\n", "long.txt": LONG }), writes({ "src/a.txt": "one\ntwo\n" })],
  Look: [{ json: { satisfied: false, context: "a second line" } }, { json: { satisfied: true } }],
};

let shared: string | undefined;

/** One cast for all tests that only look. */
async function changedCast(): Promise<{ readonly at: Site; readonly id: string; readonly cwd: string }> {
  shared ??= await newCast(REPLIES);
  return served(shared);
}

async function newCast(replies: object, config: object = {}): Promise<string> {
  const cwd = repositoryPlace(replies, config);
  await castHere(cwd);
  return cwd;
}

function served(cwd: string): { readonly at: Site; readonly id: string; readonly cwd: string } {
  const place: Project["place"] = { cwd, env: { HOME: join(cwd, "../home"), PATH: process.env["PATH"] } };
  return { at: site({ place, cwd, root: join(cwd, ".pi", "pi-materia"), write: () => "" }), id: lastCast(cwd), cwd };
}

describe("changed files", () => {
  it("[N31] are those of the whole cast, or of a visit", async () => {
    const { at, id } = await changedCast();
    expect(await json(at.ask(`/api/casts/${id}/changes`))).toMatchObject({
      castId: id,
      place: null,
      changed: 4,
      files: [
        { status: "added", path: "b.txt", added: 1, removed: 0 },
        { status: "added", path: "long.txt" },
        { status: "added", path: "src/a.txt", added: 2, removed: 0 },
        { status: "added", path: "touched.txt" },
      ],
    });
    const first = (await json(at.ask(`/api/casts/${id}/changes?place=Socket-1%231`))) as { files: { path: string }[] };
    expect(first.files.map(({ path }) => path)).toEqual(["b.txt", "long.txt", "src/a.txt"]);
    expect(await json(at.ask(`/api/casts/${id}/changes?place=Socket-1%232`))).toMatchObject({
      place: "Socket-1#2",
      added: 1,
      files: [{ status: "modified", path: "src/a.txt", added: 1, removed: 0 }],
    });
  });

  it("[N32] each has its patch, and the checkpoints that changed it", async () => {
    const { at, id } = await changedCast();
    const answer = await json(at.ask(`/api/casts/${id}/changes/patch?place=Socket-1%232&path=src%2Fa.txt`));
    expect(answer).toMatchObject({
      path: "src/a.txt",
      isCut: false,
      commits: [/^[0-9a-f]{40}/, /^[0-9a-f]{40}/].map((form) => expect.stringMatching(form)),
    });
    expect((answer as { patch: string }).patch).toContain("@@ -1 +1,2 @@\n one\n+two\n");
  });

  it("[N32] a long patch is cut behind a line, and says so", async () => {
    const { at, id } = await changedCast();
    const answer = (await json(at.ask(`/api/casts/${id}/changes/patch?path=long.txt`))) as {
      patch: string;
      isCut: boolean;
    };
    expect(answer.isCut).toBe(true);
    expect(Buffer.byteLength(answer.patch)).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(answer.patch.split("\n").slice(-2)).toEqual([`+${LINE}`, ""]);
  });

  it("[N32] only a name that git lists there is looked at", async () => {
    const { at, id } = await changedCast();
    const names = [
      "../home/materia.json",
      "/etc/passwd",
      "*",
      ":(top)first.txt",
      "--output=x",
      "first.txt",
      "",
      "a\0b",
    ];
    const asked = names.map((path) => at.ask(`/api/casts/${id}/changes/patch?path=${encodeURIComponent(path)}`));
    expect(await Promise.all(asked.map(refusal))).toEqual(names.map(() => "404 unknown_file"));
  });

  it("[N31] a place that is none, a cast without checkpoints and checkpoints that are gone say so", async () => {
    const { at, id } = await changedCast();
    expect(await refusal(at.ask(`/api/casts/${id}/changes?place=Socket-9%231`))).toBe("404 unknown_visit");
    expect(await refusal(at.ask(`/api/casts/${id}/changes?place=${encodeURIComponent("--all")}`))).toBe(
      "404 unknown_visit",
    );
    const gone = served(await newCast(REPLIES));
    git(gone.cwd, "update-ref", "-d", `refs/materia/${gone.id}`);
    git(gone.cwd, "reflog", "expire", "--expire=now", "--all");
    git(gone.cwd, "gc", "-q", "--prune=now");
    expect(await refusal(gone.at.ask(`/api/casts/${gone.id}/changes`))).toBe("404 checkpoint_deleted");
    const bare = site();
    const plain = await castOf(bare);
    await ended(bare, plain);
    expect(await refusal(bare.ask(`/api/casts/${plain}/changes`))).toBe("404 missing_checkpoints");
  });

  it("[N31] a renamed file has both of its names, and a name may hold anything", async () => {
    const move = { type: "utility", command: ["git", "mv", "first.txt", "second name.txt"], parse: "text" };
    const make = { prompt: "Make it.", tools: "coding", parse: "text" };
    const sockets = {
      "Socket-1": { materia: "Move", edges: [{ to: "Socket-2", when: "always" }] },
      "Socket-2": { materia: "Make" },
    };
    const cwd = await newCast(
      { Make: [writes({ 'नाम "x" \u202e.txt': "a\n" })] },
      { materia: { Move: move, Make: make }, loadouts: { Small: { entry: "Socket-1", sockets } } },
    );
    const { at, id } = served(cwd);
    const answer = (await json(at.ask(`/api/casts/${id}/changes`))) as { files: { path: string; from?: string }[] };
    expect(answer.files).toMatchObject([
      { status: "renamed", path: "second name.txt", from: "first.txt" },
      { path: 'नाम "x" ‮.txt' },
    ]);
    for (const { path } of answer.files) {
      const patch = (await json(at.ask(`/api/casts/${id}/changes/patch?path=${encodeURIComponent(path)}`))) as {
        patch: string;
        commits: string[];
      };
      expect(patch.patch).toContain("diff --git");
      expect(patch.commits).toHaveLength(1);
    }
  });
});
