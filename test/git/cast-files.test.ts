import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castFile, readText } from "../harness/cli.ts";
import {
  castHere,
  commitsOf,
  journalOf,
  lastCast,
  materia,
  repositoryPlace,
  setReplies,
  visitFiles,
  writes,
} from "./cast-place.ts";
import { git, namesIn, personsView, scratch } from "./scratch.ts";

describe("[Y13] a checkpoint after every visit that changed the tree", () => {
  it("[Y13] the events name the commits and count what each visit changed", async () => {
    const cwd = repositoryPlace();
    const before = personsView(cwd).slice(1);
    expect((await castHere(cwd)).code).toBe(0);
    const events = journalOf(cwd);
    expect(events[0]).toMatchObject({ type: "cast_started", files: { commit: git(cwd, "rev-parse", "HEAD") } });
    expect(visitFiles(events)).toMatchObject([
      { changed: 2, added: 2, removed: 0, names: ["b.txt", "src/a.txt"] },
      undefined,
      { changed: 1, added: 1, removed: 0, names: ["src/a.txt"] },
      undefined,
      { changed: 1, added: 1, removed: 0 },
    ]);
    const commits = commitsOf(events);
    expect(git(cwd, "rev-parse", `refs/materia/${lastCast(cwd)}`)).toBe(commits.at(-1));
    expect(commits.map((commit) => namesIn(cwd, commit))).toEqual([
      [".gitignore", "b.txt", "first.txt", "src/a.txt"],
      [".gitignore", "b.txt", "first.txt", "src/a.txt"],
      [".gitignore", "b.txt", "first.txt", "src/a.txt", "touched.txt"],
    ]);
    expect(personsView(cwd).slice(1)).toEqual(before);
  });

  it("[Y1] what lay there uncommitted is in the first one", async () => {
    const cwd = repositoryPlace();
    writeFileSync(join(cwd, "mine.txt"), "not committed\n");
    await castHere(cwd);
    const [started] = journalOf(cwd);
    const commit =
      started?.type === "cast_started" && started.files && "commit" in started.files ? started.files.commit : "";
    expect(namesIn(cwd, commit)).toContain("mine.txt");
    expect(visitFiles(journalOf(cwd))[0]).toMatchObject({ changed: 2 });
  });

  it("[Y5] a visit that cannot write is not looked at", async () => {
    const cwd = repositoryPlace({ Ask: [{ text: "A plan." }] }, { loadouts: { Small: only("Ask") } });
    await castHere(cwd, {});
    expect(visitFiles(journalOf(cwd))).toEqual([undefined]);
  });

  it("[Y5] each tool that wrote is followed by a checkpoint while the turn goes on", async () => {
    const steps = [writes({ "one.txt": "1\n" }), writes({ "two.txt": "2\n" })];
    const tools = steps.flatMap((step) => ("tools" in step && Array.isArray(step.tools) ? step.tools : []));
    const cwd = repositoryPlace({ Make: [{ tools, text: "Both." }] }, { loadouts: { Small: only("Make") } });
    await castHere(cwd);
    const events = journalOf(cwd);
    const taken = events.filter(({ type }) => type === "checkpoint_taken");
    expect(taken.length).toBeGreaterThan(0);
    expect(visitFiles(events)).toMatchObject([{ changed: 2, added: 2 }]);
  });
});

function only(name: string): object {
  return { entry: "Socket-1", sockets: { "Socket-1": { materia: name } } };
}

describe("[Y3] without a repository a cast runs as ever", () => {
  it.each([
    ["there is no git repository", (cwd: string) => rmSync(join(cwd, ".git"), { recursive: true })],
    [
      "the repository has no commit yet",
      (cwd: string) => {
        rmSync(join(cwd, ".git"), { recursive: true });
        git(cwd, "init", "-q");
      },
    ],
  ])("[Y3] it says once: %s", async (why, change) => {
    const cwd = repositoryPlace();
    change(cwd);
    const ran = await castHere(cwd);
    expect(ran.code).toBe(0);
    expect(ran.stderr.split(why)).toHaveLength(2);
    expect(journalOf(cwd)[0]).toMatchObject({ files: { problem: why } });
    expect(visitFiles(journalOf(cwd))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it("[Y3] git that is not installed is said too", async () => {
    const cwd = repositoryPlace();
    const ran = await castHere(cwd, { env: { PATH: scratch() } });
    expect(ran.stderr).toContain("no checkpoints of the files: git is not installed");
  });

  it("[Y3] they can be turned off, and nothing is said", async () => {
    const cwd = repositoryPlace(undefined, { checkpoints: false });
    const ran = await castHere(cwd);
    expect(ran.stderr).not.toContain("no checkpoint");
    expect(journalOf(cwd)[0]).not.toHaveProperty("files");
    expect(git(cwd, "for-each-ref", "refs/materia")).toBe("");
    expect((await materia(cwd, ["diff"])).stderr).toContain("missing_checkpoints");
  });
});

describe("[Y4] what cannot be kept never fails a cast", () => {
  it("[Y4] an agent that deletes the repository", async () => {
    const cwd = repositoryPlace({
      ...rest(),
      Make: [{ tools: [{ name: "bash", arguments: { command: "rm -rf .git" } }], text: "Gone." }],
    });
    const ran = await castHere(cwd);
    expect(ran.code).toBe(0);
    expect(visitFiles(journalOf(cwd))[0]).toEqual({ problem: "there is no git repository" });
    expect((await materia(cwd, ["show"])).stdout).toContain("no checkpoint of the files: there is no git repository");
  });

  it("[Y4] an object store that cannot be written", async () => {
    const cwd = repositoryPlace({
      ...rest(),
      Make: [
        {
          tools: [
            {
              name: "bash",
              arguments: { command: "mv .git/objects .git/kept && touch .git/objects && echo x > new.txt" },
            },
          ],
          text: "Broken.",
        },
      ],
    });
    expect((await castHere(cwd)).code).toBe(0);
    expect(visitFiles(journalOf(cwd))[0]).toHaveProperty("problem");
  });

  it("[Y4] an agent that rewrites history, and one that moves the ref of the cast", async () => {
    const command = `git commit -q --amend -m other && git update-ref -d refs/materia/$(ls .pi/pi-materia) ; echo x > new.txt`;
    const env = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@a" };
    const cwd = repositoryPlace({
      ...rest(),
      Make: [{ tools: [{ name: "bash", arguments: { command } }], text: "Ha." }],
    });
    expect((await castHere(cwd, { env })).code).toBe(0);
    const commits = commitsOf(journalOf(cwd));
    expect(git(cwd, "rev-parse", `refs/materia/${lastCast(cwd)}`)).toBe(commits.at(-1));
    expect(namesIn(cwd, commits[0])).toContain("new.txt");
  });
});

function rest(): object {
  return { Look: [{ json: { satisfied: true } }] };
}

describe("[Y6] what changed while nobody drove the cast", () => {
  it("[Y6] is a separate checkpoint, reported to the person and to the next agent", async () => {
    const cwd = repositoryPlace({ Make: [writes({ "a.txt": "a\n" })], Look: [] });
    expect((await castHere(cwd)).code).not.toBe(0);
    appendFileSync(join(cwd, "first.txt"), "by hand\n");
    writeFileSync(join(cwd, "नया नाम.txt"), "new\n");
    setReplies(cwd, { Make: [writes({ "a.txt": "a\n" })], Look: [{ json: { satisfied: true } }] });
    const ran = await materia(cwd, ["recast", lastCast(cwd)]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("2 files, +2 −0 changed since it stopped");
    const resumed = journalOf(cwd).find(({ type }) => type === "cast_resumed");
    expect(resumed).toMatchObject({ files: { changed: 2, names: ["first.txt", "नया नाम.txt"] } });
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    expect(prompt).toContain("Files that changed since then:\n- first.txt\n- नया नाम.txt");
    // What the person did is nobody's visit.
    expect(visitFiles(journalOf(cwd)).at(-1)).toMatchObject({ changed: 1 });
  });

  it("[Y6] an agent whose visit starts now gets it too", async () => {
    const no = { json: { satisfied: false, context: "again" } };
    const makes = ["1", "2", "3", "4"].map((text) => writes({ "a.txt": text }));
    const cwd = repositoryPlace({ Make: makes, Look: [no, no, no, no] });
    await castHere(cwd);
    appendFileSync(join(cwd, "first.txt"), "by hand\n");
    await materia(cwd, ["recast", lastCast(cwd), "--allow", "1"]);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-1", "5", "prompt.md"));
    expect(prompt).toContain("somebody changed these files:\n- first.txt");
  });

  it("[Y6] nothing is said where nothing changed", async () => {
    const cwd = repositoryPlace({ Make: [writes({ "a.txt": "a\n" })], Look: [] });
    await castHere(cwd);
    setReplies(cwd, { Make: [writes({ "a.txt": "a\n" })], Look: [{ json: { satisfied: true } }] });
    const ran = await materia(cwd, ["recast", lastCast(cwd)]);
    expect(ran.stderr).not.toContain("since it stopped");
    expect(journalOf(cwd).find(({ type }) => type === "cast_resumed")).not.toHaveProperty("files");
  });
});

describe("[Y9] with the cast its checkpoints go", () => {
  it("[Y9] prune removes the ref of those that it removes", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    await materia(cwd, ["casts", "prune", "--keep", "0"]);
    expect(git(cwd, "for-each-ref", "refs/materia")).not.toBe("");
    await materia(cwd, ["casts", "prune", "--keep", "0", "--yes"]);
    expect(git(cwd, "for-each-ref", "refs/materia")).toBe("");
  });
});

describe("[Y10] what has changed, in a prompt", () => {
  it("[Y10] a judge gets the table and the patch", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "2", "prompt.md"));
    expect(prompt).toContain("2 files changed, 3 insertions(+)");
    expect(prompt).toContain("+++ b/src/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two");
  });

  it("[Y10] where files are not kept it says so", async () => {
    const cwd = repositoryPlace(undefined, { checkpoints: false });
    await castHere(cwd);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    expect(prompt).toContain("Not known: the files of this cast are not kept");
  });

  it("[Y10] a person's question does not know it, and the check says so", async () => {
    const person = { type: "person", question: "Is this good? {{changes}}" };
    const cwd = repositoryPlace({}, { materia: { Who: person }, loadouts: { Small: only("Who") } });
    expect((await materia(cwd, ["check"])).stdout).toContain("{{changes}} works only in prompts of agents");
  });

  it("[Y10] a whole patch of one file has no table, and names the file once on each side", async () => {
    const cwd = repositoryPlace({ ...rest(), Make: [writes({ "first.txt": "second\n" })] });
    await castHere(cwd);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    expect(prompt).toContain("Since the cast began:\n\n--- a/first.txt\n+++ b/first.txt\n@@ -1 +1 @@\n-first\n+second");
  });

  it("[Y10] a large change is cut, and the cut is marked", async () => {
    const long = "a line of some length\n".repeat(3_000);
    const cwd = repositoryPlace({ ...rest(), Make: [writes({ "long.txt": long })] });
    await castHere(cwd);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    expect(prompt).toContain("long.txt | 3000");
    expect(prompt.length).toBeLessThan(25_000);
  });
});

describe("[Y16] lines around a change", () => {
  it.each<[what: string, width: number, shown: number]>([
    ["a judge sees ten of them", 1, 10],
    ["three in a patch that ten would make too long", 900, 3],
  ])("[Y16] %s, a builder three", async (_what, width, shown) => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at} ${"x".repeat(width)}\n`);
    const changed = lines.with(30, "changed\n").join("");
    const look = [{ json: { satisfied: false, context: "again" } }, { json: { satisfied: true } }];
    const cwd = repositoryPlace({ ...rest(), Make: [writes({ "long.txt": changed })], Look: look });
    writeFileSync(join(cwd, "long.txt"), lines.join(""));
    await castHere(cwd);
    const linesFor = (socket: string, visit: string) =>
      readText(castFile(cwd, lastCast(cwd), "sockets", socket, visit, "prompt.md")).match(/^ line \d+ x/gm)?.length;
    expect(linesFor("Socket-2", "1")).toBe(2 * shown);
    expect(linesFor("Socket-1", "2")).toBe(6);
  });

  it("[Y16] an agent that only tells of it sees one", async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`);
    const sockets = {
      "Socket-1": { materia: "Make", edges: [{ to: "Socket-2", when: "always" }] },
      "Socket-2": { materia: "Look" },
    };
    const replies = { Make: [writes({ "long.txt": lines.with(30, "changed\n").join("") })], Look: [{ json: {} }] };
    const cwd = repositoryPlace(replies, { loadouts: { Small: { entry: "Socket-1", sockets } } });
    writeFileSync(join(cwd, "long.txt"), lines.join(""));
    await castHere(cwd);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    expect(prompt).toMatch(/@@ -30,3 \+30,3 @@.*\n line 29\n-line 30\n\+changed\n line 31\n/);
  });
});

describe("[Y2] the journal and the ref", () => {
  it("[Y2] nothing of the shadow is left when the cast is over", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    expect(existsSync(castFile(cwd, lastCast(cwd), "owner", "scratch"))).toBe(false);
    expect(readFileSync(join(cwd, ".git", "HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
  });
});

describe("[P17, P18] the code that an item names", () => {
  it("[P17, P18] comes from the checkpoint, below the folder of the cast: no ignored file, no link, nothing above", async () => {
    const context = [
      "src/a.js#one",
      "ignored.txt#one",
      "link.txt#one",
      "../above.txt#one",
      "/etc/passwd#root",
      ".git/HEAD#ref",
    ]
      .map((place) => `\`${place}\``)
      .join(", ");
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [{ to: "Socket-2", when: "always" }] },
      "Socket-2": { materia: "Make", advance: {}, edges: [{ to: "Socket-2", when: "always" }] },
    };
    const loops = { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } };
    const cwd = repositoryPlace(
      { Plan: [{ json: { workItems: [{ title: "a", context }] } }], Make: [{ text: "Done." }] },
      {
        materia: {
          Plan: { prompt: "Plan.", tools: "none", generator: true },
          Make: { prompt: "Make.", tools: "coding" },
        },
        loadouts: { Small: { entry: "Socket-1", sockets, loops } },
      },
    );
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "src/a.js"), `one\n  two\n${"three\n".repeat(50)}`);
    for (const name of ["ignored.txt", "../above.txt"]) writeFileSync(join(cwd, name), "one secret\n");
    symlinkSync("../above.txt", join(cwd, "link.txt"));
    expect((await castHere(cwd)).code).toBe(0);
    const prompt = readText(castFile(cwd, lastCast(cwd), "sockets", "Socket-2", "1", "prompt.md"));
    const [, shown] = prompt.split("## Code that is named above, as it is now\n");
    expect(shown?.trim()).toBe("src/a.js, lines 1-4:\n```\none\n  two\nthree\nthree\n```");
  });
});
