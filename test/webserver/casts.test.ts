import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castOf, ended, json, refusal, site, type Site } from "./harness.ts";

async function oneCast(): Promise<{ at: Site; id: string; runDir: string; visit: string }> {
  const at = site();
  const id = await castOf(at);
  await ended(at, id);
  const runDir = join(at.root, id);
  return { at, id, runDir, visit: join(runDir, "sockets", "Socket-1", "1") };
}

/** A line without what is the journal's own. */
function eventIn(line: string): unknown {
  const { epoch: _epoch, crc: _crc, ...event } = JSON.parse(line) as Record<string, unknown>;
  return event;
}

describe("casts", () => {
  it("[N9] the list is what the command prints", async () => {
    const { at, id } = await oneCast();
    const list = await json(at.ask("/api/casts"));
    expect(list).toEqual([expect.objectContaining({ castId: id, status: "completed", request: "do it" })]);
    expect(await json(at.send("/api/commands", { command: "casts" }))).toMatchObject({ code: 0, data: list });
  });

  it("[N9] one cast has its file, its events and whether it is driven", async () => {
    const { at, id, runDir } = await oneCast();
    const cast = await json(at.ask(`/api/casts/${id}`));
    const journal = readFileSync(join(runDir, "journal.jsonl"), "utf8").trim().split("\n");
    expect(cast).toEqual({
      castFile: JSON.parse(readFileSync(join(runDir, "cast.json"), "utf8")),
      events: journal.map(eventIn),
      live: false,
      summary: expect.objectContaining({ castId: id, status: "completed" }),
      issues: [],
    });
  });

  it("[N9] a damaged journal is shown as far as it is sound, and a torn end is no damage", async () => {
    const { at, id, runDir } = await oneCast();
    const file = join(runDir, "journal.jsonl");
    const [first = "", ...rest] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [first, "{damaged", ...rest].join("\n"));
    const cast = (await json(at.ask(`/api/casts/${id}`))) as { events: unknown[]; issues: unknown[] };
    expect(cast.events).toEqual([eventIn(first)]);
    expect(cast.issues).toEqual([expect.objectContaining({ code: "damaged_journal", path: ["line 2"] })]);
    writeFileSync(file, `${first}\n{"seq":2,"at`);
    expect(await json(at.ask(`/api/casts/${id}`))).toMatchObject({ events: [eventIn(first)], issues: [] });
  });

  it.each<[rule: string, id: string, answer: string]>([
    ["[N4] a parent", "..%2f..%2fetc", "400 bad_cast_id"],
    ["[N4] a hidden name", ".git", "400 bad_cast_id"],
    ["[N4] an absolute path", "%2fetc%2fpasswd", "400 bad_cast_id"],
    ["[N4] a backslash", "..%5c..%5cetc", "400 bad_cast_id"],
    ["[N4] twice escaped", "%252e%252e", "400 bad_cast_id"],
    ["[N4] a line break", "a%0ab", "400 bad_cast_id"],
    ["[N4] a name without end", "a".repeat(3000), "400 bad_cast_id"],
    ["[N4] a cast that is not there", "20200101-000000-aaaaa", "404 unknown_cast"],
    ["[N4] a prototype's name", "constructor", "404 unknown_cast"],
  ])("%s", async (_rule, id, answer) => {
    const at = site();
    expect(await refusal(at.ask(`/api/casts/${id}`))).toBe(answer);
    expect(await refusal(at.ask(`/api/casts/${id}/events`))).toBe(answer);
    expect(await refusal(at.ask(`/api/casts/${id}/files/Socket-1/1/output.md`))).toBe(answer);
  });

  it("[N4] a cast's folder that is a link to elsewhere is none", async () => {
    const { at, id, runDir } = await oneCast();
    const elsewhere = join(at.cwd, "elsewhere");
    cpSync(runDir, elsewhere, { recursive: true });
    symlinkSync(elsewhere, join(at.root, "linked"));
    expect(await refusal(at.ask("/api/casts/linked"))).toBe("404 unknown_cast");
    expect((await at.ask(`/api/casts/${id}`)).status).toBe(200);
  });
});

it.each(["[N4] cast.json", "[N4] journal.jsonl"])("%s", async (title) => {
  const { at, id, runDir } = await oneCast();
  const file = join(runDir, title.slice(5));
  const elsewhere = at.write("elsewhere", readFileSync(file, "utf8"));
  rmSync(file);
  symlinkSync(elsewhere, file);
  expect(await refusal(at.ask(`/api/casts/${id}`))).toBe("404 unknown_cast");
  expect(await refusal(at.ask(`/api/casts/${id}/events`))).toBe("404 unknown_cast");
});

describe("files of a visit", () => {
  it("[N14] a file is plain text with its length", async () => {
    const { at, id } = await oneCast();
    const answer = await at.ask(`/api/casts/${id}/files/Socket-1/1/output.md`);
    expect([answer.status, await answer.text()]).toEqual([200, "done"]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
    });
  });

  it("[N42] ?whole inserts the large values of an input, and of no other file", async () => {
    const { at, id } = await oneCast();
    const [list, deep] = ["a".repeat(32), "b".repeat(32)];
    const put = (name: string, value: unknown): string => at.write(`.pi/pi-materia/${id}/${name}`, value);
    put(`values/${list}.json`, [{ title: "first" }, { $value: deep }]);
    put(`values/${deep}.json`, { title: "second" });
    put("sockets/Socket-1/1/input.json", { state: { list: { $value: list }, odd: { $value: "../cast" } } });
    expect(await json(at.ask(`/api/casts/${id}/files/Socket-1/1/input.json?whole`))).toEqual({
      state: { list: [{ title: "first" }, { title: "second" }], odd: { $value: "../cast" } },
    });
    expect(await json(at.ask(`/api/casts/${id}/files/Socket-1/1/input.json`))).toMatchObject({
      state: { list: { $value: list } },
    });
  });

  it("[N14] of a long file the first 4 MiB are sent", async () => {
    const { at, id, visit } = await oneCast();
    const file = join(visit, "stdout.txt");
    writeFileSync(file, "");
    truncateSync(file, 5 * 1024 * 1024);
    const sent = await at.ask(`/api/casts/${id}/files/Socket-1/1/stdout.txt`);
    expect([sent.status, (await sent.arrayBuffer()).byteLength]).toEqual([200, 4 * 1024 * 1024]);
  });

  it("[N42] an expected file that is not written yet is no error", async () => {
    const { at, id, visit } = await oneCast();
    const ask = (path: string) => at.ask(`/api/casts/${id}/files/${path}`);
    rmSync(join(visit, "output.md"));
    expect((await ask("Socket-1/1/output.md")).status).toBe(404);
    expect((await ask("Socket-1/1/output.md?expected")).status).toBe(204);
    expect((await ask("Socket-1/2/output.md?expected")).status).toBe(204);
    expect((await ask("Socket-1/1/secret.txt?expected")).status).toBe(404);
    writeFileSync(join(visit, "output.md"), "later");
    expect(await (await ask("Socket-1/1/output.md?expected")).text()).toBe("later");
  });

  it.each<[rule: string, path: string]>([
    ["[N4] another name", "Socket-1/1/secret.txt"],
    ["[N4] the journal through its visit", "Socket-1/1/..%2f..%2f..%2fjournal.jsonl"],
    ["[N4] the parent as socket", "..%2f..%2fowner/1/output.md"],
    ["[N4] dots as socket", "../1/output.md"],
    ["[N4] the end as socket", "end/1/output.md"],
    ["[N4] visit zero", "Socket-1/0/output.md"],
    ["[N4] a visit that is no number", "Socket-1/1e0/output.md"],
    ["[N4] dots as visit", "Socket-1/%2e%2e/output.md"],
    ["[N4] a visit that was not", "Socket-1/2/output.md"],
    ["[N4] a prototype's name", "constructor/1/output.md"],
    ["[N4] a link to another file", "Socket-1/1/stderr.txt"],
    ["[N4] a folder that is a link", "Socket-9/1/output.md"],
    ["[N4] a folder in the place of a file", "Socket-1/1/handoff.json"],
  ])("%s", async (_rule, path) => {
    const { at, id, runDir, visit } = await oneCast();
    const secret = join(at.cwd, "secret");
    mkdirSync(join(secret, "1"), { recursive: true });
    writeFileSync(join(secret, "1", "output.md"), "secret");
    symlinkSync(join(secret, "1", "output.md"), join(visit, "stderr.txt"));
    symlinkSync(secret, join(runDir, "sockets", "Socket-9"));
    rmSync(join(visit, "handoff.json"), { force: true });
    mkdirSync(join(visit, "handoff.json"));
    const answer = await at.ask(`/api/casts/${id}/files/${path}`);
    expect([answer.status, (await answer.text()).includes("secret")]).toEqual([404, false]);
  });
});
