import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CatalogResponse } from "../../src/core/wire/catalog.ts";
import { parseResponse } from "../../src/core/wire/commands.ts";
import { writeConfigText } from "../../src/shell/config/config-file.ts";
import { openPiHost } from "../../src/shell/workspace/agent-hosts.ts";
import { piFolder } from "../harness/agents.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { put as putFiles } from "../harness/cli.ts";
import { hear, json, project, refusal, site, type Site } from "./harness.ts";

const TEXT = '{\n  // mine\n  "activeLoadout": "Full-Auto",\n}\n';
const fileOf = (at: Site, layer: string): string =>
  layer === "user" ? join(at.cwd, "../config/pi/pi-materia/materia.json") : join(at.cwd, ".pi/pi-materia.json");

const put = (at: Site, layer: string, text: string, headers: Record<string, string> = {}) =>
  at.send(`/api/config/${layer}`, { text }, { method: "PUT", headers });

const make = (at: Site, layer: string, text: string) => put(at, layer, text, { "if-none-match": "*" });

async function tagOf(at: Site, layer: string): Promise<string> {
  return (await at.ask(`/api/config/${layer}`)).headers.get("etag") ?? "";
}

describe("the catalogue", () => {
  it("[N38, W48] the models that Pi has a key for, and none without Pi", async () => {
    await servePi([]);
    const { models } = (await json(site(project(), { openReal: openPiHost }).ask("/api/models"))) as {
      models: string[];
    };
    expect(models).toContain("local/small");
    expect(models.filter((model) => model.startsWith("anthropic/"))).toEqual([]);
    expect(await json(site().ask("/api/models"))).toEqual({ models: [] });
  });

  it("[YP15] what a materia may name of Pi and of the user's sandboxes", async () => {
    const folder = piFolder({});
    putFiles(folder, { "skills/release/SKILL.md": "---\nname: release\ndescription: How to release\n---\nTag it.\n" });
    const at = site();
    at.write("../config/pi/pi-materia/materia.json", { sandboxes: { strict: { command: ["bwrap"] } } });
    expect(await json(at.ask("/api/equipment"))).toMatchObject({
      skills: expect.arrayContaining(["release"]),
      mcp: [],
      sandboxes: ["strict"],
    });
  });

  it("[W31] the tests of the project by file, or what is wrong with them; nothing runs", async () => {
    const at = site();
    expect(await json(at.ask("/api/tests"))).toEqual({ files: [] });
    at.write(".pi/tests/b.json", { cast: { request: "x" }, replies: {}, expect: {} });
    at.write(".pi/tests/sub/a.json", { cast: { request: "x" }, replies: {}, expect: {} });
    at.write(".pi/tests/seed.json", { not: "a test" });
    expect(await json(at.ask("/api/tests"))).toEqual({ files: [".pi/tests/b.json", ".pi/tests/sub/a.json"] });
    at.write(".pi/tests/b.json", { expect: 7 });
    const faulty = await at.ask("/api/tests");
    expect([faulty.status, await json(faulty)]).toEqual([422, { issues: expect.any(Array) }]);
  });

  it("[N20, N44] what can be named, with its layer, file, value and problems", async () => {
    const at = site();
    const broken = { entry: "Socket-1", sockets: 1 };
    const file = at.write("../config/pi/pi-materia/materia.json", {
      loadouts: { Broken: broken },
      materia: { Mine: { prompt: "x" } },
    });
    const catalog = (await json(at.ask("/api/catalog"))) as { materia: unknown[]; loadouts: unknown[] };
    expect(catalog).toMatchObject({
      cwd: at.cwd,
      root: at.root,
      settings: { activeLoadout: { value: "Full-Auto", layer: "bundled" }, limits: { maxRepairs: 1 } },
      configFiles: [file],
      layers: { user: file, project: join(at.cwd, ".pi/pi-materia.json") },
      trust: { given: true },
      issues: [],
    });
    expect(catalog.materia).toContainEqual({
      name: "Mine",
      layer: "user",
      file,
      value: expect.objectContaining({ type: "agent", prompt: "x" }),
      issues: [],
    });
    expect(catalog.loadouts).toContainEqual({
      name: "Broken",
      layer: "user",
      file,
      value: null,
      partial: expect.any(Object),
      issues: [expect.objectContaining({ code: "bad_value", path: ["loadouts", "Broken", "sockets"] })],
    });
  });

  it("[N44] a broken loadout has its readable part, in which the page finds the same problems", async () => {
    const from = project();
    const edges = [{ when: "always", to: "Socket-9", maxTraversals: 0 }];
    from.write(".pi/pi-materia.json", {
      loadouts: { Broken: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build", edges } } } },
    });
    const answer = parseResponse(CatalogResponse, await json(site(from).ask("/api/catalog")), "catalog");
    expect(answer).toMatchObject({
      ok: true,
      value: {
        loadouts: expect.arrayContaining([
          expect.objectContaining({
            name: "Broken",
            value: null,
            partial: expect.objectContaining({ entry: "Socket-1" }),
          }),
        ]),
      },
    });
  });

  it("[N45] an untrusted project is listed with the programs it would run", async () => {
    const from = project();
    const file = from.write(".pi/pi-materia.json", { materia: { Run: { type: "utility", command: ["sh", "x.sh"] } } });
    expect(await json(site(from).ask("/api/catalog"))).toMatchObject({
      trust: { given: false, file, commands: ["sh x.sh"] },
    });
  });
});

describe.each(["user", "project"])("[N21] the %s file", (layer) => {
  it("[N21] is read with its text, its value, its problems and its tag", async () => {
    const at = site();
    expect(await refusal(at.ask(`/api/config/${layer}`))).toBe("404 missing_file");
    at.write(layer === "user" ? "../config/pi/pi-materia/materia.json" : ".pi/pi-materia.json", TEXT);
    const answer = await at.ask(`/api/config/${layer}`);
    const etag = answer.headers.get("etag");
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(await answer.json()).toEqual({
      layer,
      file: fileOf(at, layer),
      text: TEXT,
      value: { activeLoadout: "Full-Auto" },
      issues: [],
      etag,
    });
  });

  it("[N22, N46] is made, changed and never overwritten unseen", async () => {
    const at = site();
    const file = fileOf(at, layer);
    expect(await refusal(put(at, layer, TEXT))).toBe("412 file_changed");
    expect(await refusal(put(at, layer, TEXT, { "if-match": '"x"' }))).toBe("412 file_changed");
    expect(existsSync(dirname(file))).toBe(false);
    const made = await make(at, layer, TEXT);
    expect([made.status, readFileSync(file, "utf8")]).toEqual([201, TEXT]);
    const first = made.headers.get("etag") ?? "";
    expect(first).toBe(await tagOf(at, layer));
    expect(await refusal(make(at, layer, "{}"))).toBe("412 file_changed");
    expect(await refusal(put(at, layer, "{}"))).toBe("412 file_changed");
    expect(await refusal(put(at, layer, "{}", { "if-match": "*" }))).toBe("412 file_changed");
    const changed = await put(at, layer, "{}", { "if-match": first });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      { layer, file, text: "{}", value: {}, issues: [], etag: changed.headers.get("etag") },
    ]);
    const lost = await put(at, layer, TEXT, { "if-match": first });
    expect([lost.status, lost.headers.get("etag"), readFileSync(file, "utf8")]).toEqual([
      412,
      changed.headers.get("etag"),
      "{}",
    ]);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  it("[N46] of two writers with the same tag only the first succeeds", async () => {
    const at = site();
    await make(at, layer, TEXT);
    const tag = { "if-match": await tagOf(at, layer) };
    const answers = await Promise.all(['{"a":1}', '{"a":2}'].map((text) => put(at, layer, text, tag)));
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["200", "412"]);
    writeFileSync(fileOf(at, layer), "{} // by hand");
    expect(await refusal(put(at, layer, "{}", { "if-match": answers[0]?.headers.get("etag") ?? "" }))).toBe(
      "412 file_changed",
    );
  });

  it.each<[rule: string, text: string, answer: string]>([
    ["[N47] no JSON", "{", "422 bad_json"],
    ["[N47] nothing", "", "422 bad_json"],
    ["[N47] a list", "[]", "422 bad_value"],
    ["[N47] null", "null", "422 bad_value"],
  ])("%s", async (_rule, text, answer) => {
    const at = site();
    expect((await refusal(make(at, layer, text))).startsWith(answer)).toBe(true);
    expect(existsSync(fileOf(at, layer))).toBe(false);
  });

  it("[N47] a broken loadout is saved, with its problems in the answer", async () => {
    const answer = await make(site(), layer, '{ "loadouts": { "L": { "entry": 1 } }, "materai": {} }');
    const { issues } = (await answer.json()) as { issues: { path: string[] }[] };
    expect([answer.status, issues.map(({ path }) => path.join("."))]).toEqual([
      201,
      ["materai", "loadouts.L.entry", "loadouts.L.sockets"],
    ]);
  });

  it("[N47] deeply nested text does no harm", async () => {
    const at = site();
    const [open, close] = ["[".repeat(100_000), "]".repeat(100_000)];
    await make(at, layer, `{"x":${open}${close}}`);
    await make(at, layer, `{"x":${open}${close},}`);
    expect([(await at.ask("/api/catalog")).status, at.problems]).toEqual([200, []]);
  });

  it("[N22] every byte of the text and the file's mode are kept", async () => {
    const at = site();
    const text = '{ "é": "😀\\u0000" }\r\n\r\n\t// end';
    await make(at, layer, "{}");
    const file = fileOf(at, layer);
    writeFileSync(file, "{}", { mode: 0o600 });
    const { mode } = statSync(file);
    await put(at, layer, text, { "if-match": await tagOf(at, layer) });
    expect([readFileSync(file, "utf8"), statSync(file).mode]).toEqual([text, mode]);
  });

  it("[N28] a file that is not UTF-8 is neither shown nor overwritten", async () => {
    const at = site();
    await make(at, layer, "{}");
    const bytes = Buffer.from('{ "a": "caf\u00e9" }', "latin1");
    writeFileSync(fileOf(at, layer), bytes);
    expect(await refusal(at.ask(`/api/config/${layer}`))).toBe("422 invalid_utf8");
    const tag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
    expect(await refusal(put(at, layer, "{}", { "if-match": tag }))).toBe("422 invalid_utf8");
    expect(readFileSync(fileOf(at, layer))).toEqual(bytes);
  });

  it("[N28] half a character cannot be written", async () => {
    const at = site();
    expect(await refusal(make(at, layer, '{ "a": "\ud83d" }'))).toBe("422 invalid_utf8");
    expect(existsSync(fileOf(at, layer))).toBe(false);
  });

  it("[N48] a file that is a link is not written", async () => {
    const at = site();
    const elsewhere = at.write("elsewhere.json", "{}");
    mkdirSync(dirname(fileOf(at, layer)), { recursive: true });
    symlinkSync(elsewhere, fileOf(at, layer));
    expect(await refusal(put(at, layer, TEXT, { "if-match": await tagOf(at, layer) }))).toBe("422 symbolic_link");
    expect(readFileSync(elsewhere, "utf8")).toBe("{}");
  });
});

it("[N46] a file that appears at the last moment is not overwritten", () => {
  const at = project();
  const file = at.write(".pi/pi-materia.json", "{}");
  expect(writeConfigText(file, TEXT, { root: at.cwd, isNew: true })).toMatchObject({
    issues: [{ code: "file_changed" }],
  });
  expect([readFileSync(file, "utf8"), readdirSync(dirname(file))]).toEqual(["{}", ["pi-materia.json"]]);
});

describe("configuration that is not to be reached", () => {
  it("[N48] a folder that leads out of the project is not written to", async () => {
    const at = site();
    mkdirSync(join(at.cwd, "../outside"));
    symlinkSync("../outside", join(at.cwd, ".pi"));
    expect(await refusal(make(at, "project", TEXT))).toBe("422 symbolic_link");
    expect(readdirSync(join(at.cwd, "../outside"))).toEqual([]);
  });

  it.each(["[N21] bundled", "[N21] explicit", "[N21] ..%2f..%2fetc%2fpasswd", "[N21] constructor"])(
    "%s",
    async (title) => {
      const at = site();
      const layer = title.slice(6);
      expect(await refusal(at.ask(`/api/config/${layer}`))).toBe("404 not_found");
      expect(await refusal(make(at, layer, TEXT))).toBe("404 not_found");
    },
  );
});

const program = (name: string) => JSON.stringify({ materia: { Run: { type: "utility", command: ["sh", name] } } });
const given = async (at: Site) => ((await json(at.ask("/api/catalog"))) as { trust: { given: boolean } }).trust.given;

describe("trust in what is written", () => {
  it("[N23] a trusted file stays trusted through the page, and is asked about when somebody else changes it", async () => {
    const at = site();
    await make(at, "project", program("a.sh"));
    expect(await given(at)).toBe(true);
    await put(at, "project", program("b.sh"), { "if-match": await tagOf(at, "project") });
    expect(await given(at)).toBe(true);
    writeFileSync(fileOf(at, "project"), program("c.sh"));
    expect(await given(at)).toBe(false);
  });

  it("[N23] an untrusted file stays untrusted", async () => {
    const from = project();
    from.write(".pi/pi-materia.json", program("a.sh"));
    const at = site(from);
    await put(at, "project", program("b.sh"), { "if-match": await tagOf(at, "project") });
    expect(await given(at)).toBe(false);
  });
});

describe("[N35] trust in what was shown", () => {
  const withCommand = (command: string): object => ({
    materia: { Run: { type: "utility", command: ["sh", command] } },
    loadouts: { Own: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Run" } } } },
  });

  it("[N35] holds for exactly that, and nothing is remembered of later changes", async () => {
    const at = site();
    at.write("good.sh", "true");
    at.write(".pi/pi-materia.json", withCommand("good.sh"));
    const shown = async (): Promise<{ given: boolean; digest?: string; commands?: string[]; watched?: string[] }> =>
      ((await json(at.ask("/api/catalog"))) as { trust: { given: boolean } }).trust;
    const first = await shown();
    expect(first).toMatchObject({ given: false, commands: ["sh good.sh"], tooLarge: [] });
    expect(first.watched?.some((path) => path.endsWith("good.sh"))).toBe(true);
    at.write(".pi/pi-materia.json", withCommand("bad.sh"));
    expect(await refusal(at.send("/api/trust", { digest: first.digest }))).toBe("412 file_changed");
    expect((await shown()).given).toBe(false);
    expect(await json(at.send("/api/trust", { digest: (await shown()).digest }))).toEqual({ given: true });
    expect(await shown()).toEqual({ given: true });
  });

  it("[N10] a change of a configuration file is said to who listens, and what lies beside it is not", async () => {
    const at = site();
    at.write(".pi/pi-materia.json", {});
    const stream = hear(await at.ask("/api/casts/stream"));
    await stream.until(({ event }) => event === "ready");
    at.write(".pi/other.json", {});
    at.write(".pi/pi-materia.json", { notify: false });
    expect((await stream.until(({ event }) => event === "config")).map(({ event }) => event)).toEqual(["config"]);
    await stream.close();
  });
});
