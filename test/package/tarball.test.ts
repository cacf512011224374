import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SWEEP, isFull } from "../harness/sweep.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe.runIf(isFull)("[K1, K2, K3] the package as strangers get it", SWEEP, () => {
  let folder = "";
  let contents: readonly string[] = [];
  let broughtPi = false;
  const npm = (...args: readonly string[]): string =>
    execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const materia = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [join(folder, "node_modules/pi-materia/bin/materia.mjs"), ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
      stdio: ["ignore", "pipe", "pipe"],
    });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "materia-package-"));
    // The test command has built it; packing must not build it again while other tests read it.
    const packed = execFileSync("npm", ["pack", root, "--ignore-scripts", "--json", "--pack-destination", folder], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    contents = (JSON.parse(packed) as { files: { path: string }[] }[])[0]?.files.map((file) => file.path) ?? [];
    writeFileSync(join(folder, "package.json"), '{ "name": "stranger", "private": true, "type": "module" }');
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    // [K6] Pi is an optional peer that the user has already; here it is the checkout's.
    npm("install", `./${tarball}`, "--no-audit", "--no-fund", "--prefer-offline");
    broughtPi = existsSync(join(folder, "node_modules/@earendil-works"));
    execFileSync("tar", ["-xzf", tarball], { cwd: folder });
    symlinkSync(join(root, "node_modules/@earendil-works"), join(folder, "node_modules/@earendil-works"));
  }, 180_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("[K1] every link of its documents leads to a packed file", () => {
    const packed = new Set(contents);
    const pages = contents.filter((path) => path.endsWith(".md"));
    const broken = pages.flatMap((path) => {
      const text = readFileSync(join(folder, "package", path), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
      const paths = links.map((link) => posix.normalize(`${posix.dirname(path)}/${link}`).replace(/\/$/, ""));
      return paths.filter((each) => !packed.has(each) && !contents.some((file) => file.startsWith(`${each}/`)));
    });
    expect([pages.length > 20, broken]).toEqual([true, []]);
  });

  it("[K1] it holds what is needed and nothing else", () => {
    const tops = [...new Set(contents.map((path) => path.split("/")[0] ?? ""))].toSorted((a, b) => (a < b ? -1 : 1));
    expect(tops).toEqual([
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "bin",
      "dist",
      "docs",
      "examples",
      "package.json",
      "schema",
      "skills",
      "utilities",
    ]);
    expect(contents).toEqual(
      expect.arrayContaining([
        "bin/extension.ts",
        "dist/LICENSES.txt",
        "dist/cli.js",
        "dist/pi.js",
        "dist/index.js",
        "dist/web/index.html",
        "docs/guides/README.md",
      ]),
    );
    expect(
      contents.filter((path) => /\.(test|tsx?)$/.test(path) && !path.endsWith(".d.ts") && path !== "bin/extension.ts"),
    ).toEqual([]);
  });

  it("[K6] an install brings no Pi, and a cast without it says what to install", () => {
    expect(broughtPi).toBe(false);
    const alone = mkdtempSync(join(tmpdir(), "materia-alone-"));
    cpSync(join(folder, "package"), join(alone, "package"), { recursive: true });
    writeFileSync(join(alone, "replies.json"), '{ "replies": { "Build": [{ "text": "done" }] } }');
    const args = ["cast", "--json", "--rehearse", "replies.json", "--loadout", "Full-Auto", "x"];
    const ran = spawnSync(process.execPath, [join(alone, "package/bin/materia.mjs"), ...args], {
      cwd: alone,
      encoding: "utf8",
      env: { ...process.env, HOME: alone, XDG_CONFIG_HOME: join(alone, "config") },
    });
    rmSync(alone, { recursive: true, force: true });
    expect([ran.status, ran.stdout]).toEqual([2, expect.stringContaining('"code":"missing_pi"')]);
  });

  it("[K6] unpacked, without a further install, its command line works", () => {
    const told = execFileSync(process.execPath, [join(folder, "package/bin/materia.mjs"), "check", "--json"], {
      cwd: join(folder, "package"),
      encoding: "utf8",
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
    });
    expect(JSON.parse(told)).toMatchObject({
      loadouts: expect.arrayContaining([expect.objectContaining({ name: "Full-Auto" })]),
    });
  });

  it("[K2] its command line runs a rehearsed cast", () => {
    expect(materia("--version").trim()).toBe(version());
    materia("init");
    writeFileSync(
      join(folder, "replies.json"),
      '{ "replies": { "Build": [{ "text": "done" }], "Reviewer": [{ "json": { "satisfied": true } }] } }',
    );
    expect(materia("cast", "--rehearse", "replies.json", "Say hello")).toContain("completed");
  });

  it("[K2] its library compiles, checks and runs a cast with agents of one's own", () => {
    const example = readFileSync(join(folder, "node_modules/pi-materia/examples/library/own-agents.mjs"), "utf8");
    writeFileSync(join(folder, "own-agents.mjs"), example);
    const told = execFileSync(process.execPath, ["own-agents.mjs"], { cwd: folder, encoding: "utf8" });
    expect(told.split("\n").slice(0, 3)).toEqual(["0 problems", "Socket-1 → Socket-2", "Socket-2 → Socket-1"]);
    expect(told).toContain("completed");
  });

  it("[K9] ten lines start a cast and stream it", () => {
    const example = readFileSync(join(folder, "node_modules/pi-materia/examples/library/cast.mjs"), "utf8");
    writeFileSync(join(folder, "cast.mjs"), example);
    const told = execFileSync(process.execPath, ["cast.mjs"], {
      cwd: folder,
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
      encoding: "utf8",
    });
    expect(told).toMatch(/^1 cast_started\n.*cast_ended\ncompleted\n$/s);
  });

  it("[K2, K10] its library has types that a strict project accepts, without Pi and the types of Node", () => {
    const alone = mkdtempSync(join(tmpdir(), "materia-typed-"));
    cpSync(join(folder, "node_modules"), join(alone, "node_modules"), {
      recursive: true,
      filter: (path) => !path.endsWith("@earendil-works"),
    });
    writeFileSync(join(alone, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(alone, "typed.ts"),
      'import { startCast, type CastHandle } from "pi-materia";\nexport const use: [typeof startCast, CastHandle?] = [startCast];\n',
    );
    writeFileSync(
      join(alone, "tsconfig.json"),
      '{ "compilerOptions": { "strict": true, "noEmit": true, "module": "nodenext", "target": "es2024", "skipLibCheck": false, "types": [] }, "files": ["typed.ts"] }',
    );
    const ran = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", alone], {
      cwd: alone,
      encoding: "utf8",
    });
    expect([ran.status, ran.stdout]).toEqual([0, ""]);
    rmSync(alone, { recursive: true, force: true });
  });

  it("[K3] its web UI serves the page", async () => {
    const ui = spawn(process.execPath, [join(folder, "node_modules/pi-materia/bin/materia.mjs"), "ui"], {
      cwd: folder,
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const url = await new Promise<string>((resolve) =>
        ui.stdout.once("data", (data: Buffer) => resolve(data.toString().trim())),
      );
      const page = await fetch(url);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);
    } finally {
      ui.kill("SIGTERM");
    }
  });

  it("[K3] Pi loads its extension", () => {
    const pi = join(root, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
    const env = {
      ...process.env,
      HOME: folder,
      PI_CODING_AGENT_DIR: join(folder, "agent"),
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
    };
    const extension = join(folder, "node_modules/pi-materia/bin/extension.ts");
    const said = execFileSync(
      process.execPath,
      [pi, "--no-session", "-ne", "-e", extension, "-p", "/materia loadout"],
      { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    );
    expect(said).toContain("Full-Auto");
  });

  function version(): string {
    return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
  }
});
