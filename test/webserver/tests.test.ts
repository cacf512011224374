import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, project, refusal, site, type Project, type Site } from "./harness.ts";

const sockets = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });

/** As the files are once `Old` is `New`. */
function renamed(): Project {
  const from = project();
  from.write(".pi/pi-materia.json", {
    materia: { New: { type: "agent", prompt: "x" } },
    loadouts: { New: sockets("New"), Bundled: sockets("Build") },
  });
  return from;
}

const testOf = (cast: object, rest: object = {}) => ({
  cast: { request: "go", ...cast },
  replies: {},
  expect: {},
  ...rest,
});
const naming = (at: Site, kind: string, more: object = {}) =>
  at.send("/api/tests/rename", { kind, was: "Old", now: "New", ...more });
const read = (at: Site, file: string): unknown => JSON.parse(readFileSync(join(at.cwd, file), "utf8"));

interface RenameFixture {
  readonly tests: readonly { readonly file: string; readonly etag: string; readonly places: readonly string[] }[];
}

async function found(at: Site, kind: string): Promise<RenameFixture["tests"]> {
  return ((await json(naming(at, kind))) as RenameFixture).tests; // N30 has its shape
}

describe("tests that say an old name", () => {
  it("[E31, N38] are reported with their places and written only when they are named, as they were seen", async () => {
    const at = site(renamed());
    at.write(".pi/tests/a.json", testOf({ loadout: "Old" }));
    at.write(".pi/tests/deep/b.json", testOf({ link: ["Bundled", "loadout:Old"] }));
    at.write(".pi/tests/c.json", testOf({ loadout: "Bundled" }));
    const tests = await found(at, "loadout");
    expect(tests.map(({ file, places }) => [file, ...places])).toEqual([
      [".pi/tests/a.json", "cast.loadout"],
      [".pi/tests/deep/b.json", "cast.link.1"],
    ]);
    expect(read(at, ".pi/tests/a.json")).toMatchObject({ cast: { loadout: "Old" } });
    const seen = tests.map(({ file, etag }) => ({ file, etag }));
    expect(await json(naming(at, "loadout", { tests: seen }))).toEqual({ tests: [] });
    expect(read(at, ".pi/tests/a.json")).toEqual(testOf({ loadout: "New" }));
    expect(read(at, ".pi/tests/deep/b.json")).toEqual(testOf({ link: ["Bundled", "loadout:New"] }));
  });

  it("[E31] a materia is renamed where the graph holds it by its new name, and nowhere else", async () => {
    const at = site(renamed());
    const visits = { replies: { Old: [] }, expect: { path: ["Old"] } };
    at.write(".pi/tests/own.json", testOf({ loadout: "New" }, visits));
    at.write(".pi/tests/other.json", testOf({ loadout: "New", request: "says Old" }));
    at.write(".pi/tests/with-own-config.json", testOf({ loadout: "New" }, { ...visits, config: "own.config" }));
    at.write(".pi/tests/broken.json", '{ "cast": { "loadout": "Old" }, "expect": ');
    at.write(".pi/tests/no-test.json", { replies: { Old: [] } });
    const places = async (): Promise<unknown> =>
      (await found(at, "materia")).map((each) => [each.file, ...each.places]);
    expect(await places()).toEqual([[".pi/tests/own.json", "replies.Old", "expect.path.0"]]);
    // One of the old name, such as a bundled one, is meant where the graph holds it.
    at.write(".pi/pi-materia.json", {
      materia: { Old: { type: "agent", prompt: "x" } },
      loadouts: { New: sockets("Old") },
    });
    expect(await places()).toEqual([]);
  });

  it("[N38] one that has changed since, is no test or leads elsewhere is not written, nor is any other", async () => {
    const at = site(renamed());
    const [a, b] = [".pi/tests/a.json", ".pi/tests/b.json"];
    const before = testOf({ loadout: "Old" });
    at.write(a, before);
    at.write(b, before);
    const seen = (await found(at, "loadout")).map(({ file, etag }) => ({ file, etag }));
    at.write(b, testOf({ loadout: "Old", request: "changed" }));
    expect(await refusal(naming(at, "loadout", { tests: seen }))).toBe("412 file_changed");
    expect(await refusal(naming(at, "loadout", { tests: [{ file: "../../x.json", etag: "x" }] }))).toBe(
      "412 file_changed",
    );
    expect(await refusal(naming(at, "socket"))).toMatch(/^400 /);
    expect(read(at, a)).toEqual(before);
  });

  it("[N38] a folder of tests that leads out of the project is not written into", async () => {
    const at = site(renamed());
    const outside = join(at.cwd, "../outside");
    mkdirSync(outside);
    const text = JSON.stringify(testOf({ loadout: "Old" }));
    writeFileSync(join(outside, "a.json"), text);
    symlinkSync(outside, join(at.cwd, ".pi/tests"));
    const seen = (await found(at, "loadout")).map(({ file, etag }) => ({ file, etag }));
    expect(await refusal(naming(at, "loadout", { tests: seen }))).toBe("422 symbolic_link");
    expect(readFileSync(join(outside, "a.json"), "utf8")).toBe(text);
  });
});
