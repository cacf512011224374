import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterFile } from "../harness/after-file.ts";
import { envOf, newPlace, PROGRAM, put, readText } from "../harness/cli.ts";
import { patchProblems } from "../../action/inspect-patch.mjs";

const ACTION = join(import.meta.dirname, "../../action");

const config = {
  activeLoadout: "Pair",
  materia: { Reviewer: { tools: "none", parse: "json", prompt: "Judge." } },
  loadouts: {
    Pair: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Reviewer",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
  },
};
const replies = {
  replies: {
    Build: [
      { tools: [{ name: "write", arguments: { path: "note.txt", content: "hi\n" } }], text: "Wrote it." },
      { text: "Better." },
    ],
    Reviewer: [
      { json: { satisfied: false, context: "see note.txt:1\n::set-output name=evil::1" } },
      { json: { satisfied: true } },
    ],
  },
};

/** A repository with the files and variables that a runner gives. */
function runner(payload: object = {}): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = newPlace({ ".pi/pi-materia.json": config, "replies.json": replies });
  const bin = join(cwd, "../bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "materia"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(join(bin, "materia"), 0o755);
  const files = { out: join(cwd, "../out"), summary: join(cwd, "../summary"), event: join(cwd, "../event.json") };
  for (const file of [files.out, files.summary]) writeFileSync(file, "");
  writeFileSync(files.event, JSON.stringify(payload));
  const base = envOf(cwd);
  const env = {
    ...base,
    PATH: `${bin}:${base["PATH"] ?? ""}`,
    GITHUB_OUTPUT: files.out,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_REPOSITORY: "o/r",
    MATERIA_MODE: "cast",
  };
  git(cwd, env, "init", "-q");
  git(cwd, env, "add", "-A");
  git(cwd, env, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start");
  return { cwd, env };
}

function git(cwd: string, env: Record<string, string>, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, env, encoding: "utf8" });
}

async function step({ cwd, env }: ReturnType<typeof runner>, inputs: Record<string, string>) {
  const child = spawn(process.execPath, [join(ACTION, "run.mjs")], {
    cwd,
    env: { ...env, ...inputs },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [log, errors] = ["", ""];
  child.stdout.on("data", (part) => (log += String(part)));
  child.stderr.on("data", (part) => (errors += String(part)));
  const [code] = (await once(child, "exit")) as [number];
  const outputs = Object.fromEntries(
    [...readText(env["GITHUB_OUTPUT"] ?? "").matchAll(/^([\w-]+)<<(end-.*)\n([^]*?)\n\2$/gm)].map((match) => [
      match[1],
      match[3],
    ]),
  );
  return { code, log, errors, outputs, summary: readText(env["GITHUB_STEP_SUMMARY"] ?? "") };
}

const REHEARSED = { MATERIA_REHEARSE: "replies.json", MATERIA_TRUST: "true" };

it("[CI1, CI2, CI3] an issue is cast with its story, outputs and annotations, and its words stay words", async () => {
  const place = runner({ issue: { title: "Leave a note; $(touch evil)", body: "`touch evil`\n::error::x" } });
  const { code, log, outputs, summary } = await step(place, REHEARSED);
  expect([code, outputs]).toMatchObject([0, { outcome: "completed", "exit-code": "0", cost: "0" }]);
  expect(outputs["cast-id"]).toMatch(/^\d{8}-/);
  expect(summary).toContain("Leave a note; $(touch evil)");
  expect(log.trim().split("\n")).toEqual([
    "::warning title=Sent back,file=note.txt,line=1::see note.txt:1%0A::set-output name=evil::1",
  ]);
  expect(git(place.cwd, place.env, "status", "--porcelain")).not.toContain("evil");
  const bundle = join(place.cwd, ".pi/pi-materia", outputs["cast-id"] ?? "", "checkpoints.bundle");
  expect(git(place.cwd, place.env, "bundle", "list-heads", bundle)).toContain(outputs["cast-id"]);
});

it("[CI3] a project that is not trusted is refused with its way out, and nothing is cast", async () => {
  const place = runner();
  const { code, log, outputs } = await step(place, { MATERIA_REHEARSE: "replies.json", MATERIA_REQUEST: "x" });
  expect([code, outputs["outcome"], outputs["cast-id"]]).toEqual([2, "refused", ""]);
  expect(log).toMatch(/^::error title=Refused::this project's configuration is not trusted/m);
});

it("[CI1] a later job continues a cast from the artifact and the bundle", async () => {
  const place = runner();
  const failing = { replies: { ...replies.replies, Reviewer: [{ error: "provider" }] } };
  put(place.cwd, { "replies.json": failing });
  const first = await step(place, { ...REHEARSED, MATERIA_REQUEST: "x" });
  expect(first.outputs["outcome"]).toBe("failed");
  const castId = first.outputs["cast-id"] ?? "";
  const refs = git(place.cwd, place.env, "for-each-ref", "--format=%(refname)").split("\n");
  for (const ref of refs.filter((each) => each.includes(castId))) git(place.cwd, place.env, "update-ref", "-d", ref);
  put(place.cwd, {
    "replies.json": { replies: { Reviewer: [{ json: { satisfied: true } }] }, onEmpty: "repeat-last" },
  });
  writeFileSync(place.env["GITHUB_OUTPUT"] ?? "", "");
  const again = await step(place, { ...REHEARSED, MATERIA_MODE: "recast", MATERIA_CAST_ID: castId });
  expect([again.code, again.outputs["outcome"], again.outputs["cast-id"]]).toEqual([0, "completed", castId]);
  const hostile = await step(place, { ...REHEARSED, MATERIA_MODE: "recast", MATERIA_CAST_ID: "../../x" });
  expect([hostile.code, hostile.errors]).toEqual([1, expect.stringContaining("not the id of a cast")]);
});

describe("[CI4] a review", () => {
  it("[CI4] compares with the base, comments once, and updates its comment", async () => {
    const calls: { method: string; url: string; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += String(part)));
      request.on("end", () => {
        calls.push({ method: request.method ?? "", url: request.url ?? "", body });
        const isKnown = calls.some(({ method }) => method === "POST");
        const own = [{ id: 1, body: "someone" }, ...(isKnown ? [{ id: 7, body: "<!-- pi-materia review -->" }] : [])];
        response.setHeader("content-type", "application/json").end(JSON.stringify(request.method === "GET" ? own : {}));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    afterFile(() => server.close());
    const place = runner();
    const base = git(place.cwd, place.env, "rev-parse", "HEAD").trim();
    const { Pair } = config.loadouts;
    const more = structuredClone(Pair);
    more.sockets["Socket-2"].edges[0] = { when: "not_satisfied", to: "Socket-1", maxTraversals: 4 };
    put(place.cwd, { ".pi/pi-materia.json": { ...config, loadouts: { Pair: more, "B|ad`": Pair } } });
    writeFileSync(
      place.env["GITHUB_EVENT_PATH"] ?? "",
      JSON.stringify({ pull_request: { number: 5, base: { sha: base } } }),
    );
    const inputs = {
      MATERIA_MODE: "review",
      MATERIA_TOKEN: "t",
      GITHUB_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    const first = await step(place, inputs);
    expect(first.summary).toContain("| check | no errors, 0 warnings |");
    expect(first.summary).toMatch(/\| worst case of Pair \| at most 4 turns[^|]* → at most 10 turns/);
    expect(first.summary).toContain("| worst case of B\\|ad\\` | new: ");
    expect(first.summary).toContain("| past casts | none recorded here |");
    await step(place, inputs);
    expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /repos/o/r/issues/5/comments?per_page=100",
      "POST /repos/o/r/issues/5/comments",
      "GET /repos/o/r/issues/5/comments?per_page=100",
      "PATCH /repos/o/r/issues/comments/7",
    ]);
    expect(git(place.cwd, place.env, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });
});

const patch = (path: string, line = "+x") =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n${line}\n`;

it.each<[string, string, RegExp | null]>([
  ["[CI5] an ordinary patch passes", patch("src/a.ts"), null],
  ["[CI5] a workflow", patch(".github/workflows/x.yml"), /decides what runs/],
  ["[CI5] a path outside", patch("../x"), /outside/],
  ["[CI5] a quoted path", 'diff --git "a/x" "b/x"\n--- "a/\\056\\056/x"\n+++ "b/x"\n', /outside/],
  ["[CI5] a rename into a guarded folder", "rename from a\nrename to .github/workflows/x.yml\n", /decides what runs/],
  ["[CI5] a link", `${patch("x")}new file mode 120000\n`, /links/],
  ["[CI5] a binary file", `${patch("x")}GIT binary patch\n`, /binary/],
  ["[CI5] a secret", patch("x", `+key = "ghp_${"a".repeat(30)}"`), /secret/],
  ["[CI5] a removed secret passes", patch("x", `-key = "ghp_${"a".repeat(30)}"`), null],
  ["[CI5] a huge patch", patch("x", `+${"y".repeat(1_100_000)}`), /bytes/],
])("%s", (_rule, text, expected) => {
  const problems = patchProblems(text).join("; ");
  expect(expected === null ? problems === "" : expected.test(problems)).toBe(true);
});

/** Inputs of other actions in the examples. */
const OTHER_INPUTS = ["fetch-depth", "persist-credentials", "name", "path", "repository", "ref"];

it("[CI1] the action and its examples name files, versions and inputs that exist", () => {
  const { version, devDependencies } = JSON.parse(readFileSync(join(ACTION, "../package.json"), "utf8")) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  const action = readText(join(ACTION, "../action.yml"));
  const gitlab = readText(join(ACTION, "../examples/ci/gitlab.yml"));
  for (const name of ["two-jobs.yml", "review.yml"]) {
    const text = readText(join(ACTION, "../examples/ci", name));
    expect(text).toContain(`pi-materia/pi-materia@v${version}`);
    const used = [...text.matchAll(/^ {10}([a-z-]+):/gm)].map(([, name = ""]) => name);
    const ours = used.filter((each) => !OTHER_INPUTS.includes(each));
    expect(ours.filter((each) => !action.includes(`  ${each}:`))).toEqual([]);
  }
  expect(gitlab).toContain(`pi-materia@${version}`);
  expect(gitlab).toContain(`pi-coding-agent@${devDependencies["@earendil-works/pi-coding-agent"] ?? ""}`);
});
