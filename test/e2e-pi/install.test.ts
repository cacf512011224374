import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { castsIn, jsonOf } from "../harness/cli.ts";
import { fromRoot } from "../harness/built.ts";
import { newPiPlace, PI, type PiPlace } from "../harness/pi-place.ts";
import { KEYS, openInstalledPiTui } from "../harness/pi-tui.ts";
import { startPi } from "../harness/pi-rpc.ts";
import { result, settled, status } from "../harness/pi-seen.ts";
import { SWEEP, isFull } from "../harness/sweep.ts";

describe("the published package", () => {
  it.runIf(isFull)(
    "[X31] pi install of the packed package brings /materia, and pi remove takes it away",
    SWEEP,
    async () => {
      const place = await newPiPlace({}, { text: "made as published" }, { text: "Wood or stone?" }, { text: "hello" });
      const source = `npm:pi-materia@file:${pack()}`;
      pi(place, "install", source);
      expect(jsonOf(join(place.agentDir, "settings.json"))).toMatchObject({ packages: [source] });

      const session = startPi(place, { installed: true });
      await session.type("/materia link Build -- make it");
      expect(await session.until("the result", result)).toContain("Result: made as published");
      await session.type("/materia link Interactive-Plan -- plan it");
      await session.until("the question", status(/waits for you/));
      expect(castsIn(place.cwd)).toHaveLength(2);
      expect(session.records.filter((record) => record.type === "extension_error")).toEqual([]);
      expect(await session.close()).toBe(0);
      expect(session.stderr()).toBe("");

      pi(place, "remove", source);
      const without = startPi(place, { installed: true });
      await without.type("/materia casts");
      await without.until("an answer of the model, which got it as text", settled);
      expect(place.model.requests).toHaveLength(3);
    },
  );
});

describe("the package as a registry's folder holds it", () => {
  it("[K6] pi install of the unpacked folder brings /materia, without a further install", async () => {
    const place = await newPiPlace({}, { text: "made as unpacked" });
    const folder = join(dirname(place.cwd), "unpacked");
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", pack(), "-C", folder]);
    pi(place, "install", join(folder, "package"));
    const session = startPi(place, { installed: true });
    await session.type("/materia link Build -- make it");
    expect(await session.until("the result", result)).toContain("Result: made as unpacked");
    expect(session.records.filter((record) => record.type === "extension_error")).toEqual([]);
    expect(await session.close()).toBe(0);
  });

  it("[X37, YT8] a cast is detached with the Pi that runs, and nobody calls it paused", async () => {
    const place = await newPiPlace({}, { hang: "after text" }, { text: "made behind you" }, { text: "made apart" });
    const folder = join(dirname(place.cwd), "unpacked");
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", pack(), "-C", folder]);
    pi(place, "install", join(folder, "package"));
    const tui = await openInstalledPiTui(place);
    await tui.send("/materia link Build -- make it");
    await tui.sees(/» thinking aloud/);
    tui.type(KEYS.ctrlD);
    await tui.sees(/→ Detach/);
    tui.type(KEYS.enter);
    expect(await tui.exited).toBe(0);
    expect(tui.screen()).not.toContain("is paused");
    const [castId = ""] = castsIn(place.cwd);
    const session = startPi(place, { installed: true });
    await session.type(`/materia watch ${castId}`);
    await session.until("its end", (record) => JSON.stringify(record).includes("made behind you"));
    await session.type("/materia link --detach Build -- make it too");
    await session.until("its id", (record) => JSON.stringify(record).includes("runs in the background"));
    expect(castsIn(place.cwd)).toHaveLength(2);
    const [, second = ""] = castsIn(place.cwd);
    await session.type(`/materia watch ${second}`);
    await session.until("its end", (record) => JSON.stringify(record).includes("made apart"));
    expect(await session.close()).toBe(0);
  });
});

describe("a plain clone", () => {
  it.runIf(isFull)("[K5] pi install of a repository that nobody has built brings /materia", SWEEP, async () => {
    const place = await newPiPlace({}, { text: "made from sources" });
    const source = "git:https://materia.invalid/somebody/pi-materia";
    const env = { ...place.env, GIT_CONFIG_GLOBAL: servedAs(place, "https://materia.invalid/somebody/pi-materia") };
    pi({ ...place, env }, "install", source);
    const session = startPi(place, { installed: true });
    await session.type("/materia link Build -- make it");
    expect(await session.until("the result", result)).toContain("Result: made from sources");
    expect(session.records.filter((record) => record.type === "extension_error")).toEqual([]);
    expect(await session.close()).toBe(0);
  });

  it("[K5] one without its dependencies says what to do, in place of asking the model", async () => {
    const place = await newPiPlace({});
    const clone = copyOfTheProject(join(dirname(place.cwd), "clone"));
    pi(place, "install", clone);
    const session = startPi(place, { installed: true });
    await session.type("/materia casts");
    await session.until("what to do", (record) => JSON.stringify(record).includes("npm install --omit=dev"));
    expect(place.model.requests).toEqual([]);
    await session.close();
  });
});

/** The files of the project as they are now, as a repository; git finds it at an address. */
function servedAs({ cwd }: PiPlace, address: string): string {
  const clone = copyOfTheProject(join(dirname(cwd), "served"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: clone,
      stdio: "pipe",
    });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "all");
  const config = join(dirname(cwd), "gitconfig");
  writeFileSync(config, `[url "${clone}"]\n  insteadOf = ${address}\n`);
  return config;
}

function copyOfTheProject(folder: string): string {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: fromRoot("."),
    encoding: "utf8",
  });
  const wanted = listed.split("\0").filter((name) => name !== "" && !/^(?:test|bench|docs)\//.test(name));
  for (const name of wanted.filter((each) => existsSync(fromRoot(each)))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(fromRoot(name), join(folder, name));
  }
  return folder;
}

/** The tarball, of what is built; `npm test` builds before it tests. */
function pack(): string {
  packed ??= packOnce();
  return packed;
}

let packed: string | undefined;

function packOnce(): string {
  if (!existsSync(fromRoot("dist/pi.js"))) execFileSync(process.execPath, [fromRoot("scripts/build.ts")]);
  const folder = mkdtempSync(join(tmpdir(), "materia-packed-"));
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  return join(folder, execFileSync("npm", args, { cwd: fromRoot("."), encoding: "utf8" }).trim());
}

function pi({ cwd, env }: PiPlace, ...args: readonly string[]): void {
  execFileSync(process.execPath, [PI, ...args], { cwd, env: withCache(env), stdio: "pipe" });
}

/** What npm has fetched once it need not fetch again, although the home is another. */
function withCache(env: PiPlace["env"]): Record<string, string> {
  cache ??= execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();
  return { ...env, npm_config_cache: cache, npm_config_prefer_offline: "true", npm_config_update_notifier: "false" };
}

let cache: string | undefined;
