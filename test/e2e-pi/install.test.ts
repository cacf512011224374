import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { castsIn, jsonOf } from "../harness/cli.ts";
import { fromRoot, newPiPlace, PI, type PiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import { result, settled, status } from "../harness/pi-seen.ts";

describe("the published package", () => {
  it("[X31] pi install of the packed package brings /materia, and pi remove takes it away", async () => {
    const place = await newPiPlace({}, { text: "made as published" }, { text: "Wood or stone?" }, { text: "hello" });
    const source = `npm:pi-materia@file:${pack(place)}`;
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
  });
});

/** The tarball, of what is built; `npm test` builds before it tests. */
function pack({ cwd, env }: PiPlace): string {
  if (!existsSync(fromRoot("dist/pi.js"))) execFileSync(process.execPath, [fromRoot("scripts/build.ts")]);
  const folder = join(dirname(cwd), "packed");
  mkdirSync(folder);
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", args, { cwd: fromRoot("."), env: withCache(env), encoding: "utf8" });
  return join(folder, name.trim());
}

function pi({ cwd, env }: PiPlace, ...args: readonly string[]): void {
  execFileSync(process.execPath, [PI, ...args], { cwd, env: withCache(env), stdio: "pipe" });
}

/** What npm has fetched once it need not fetch again, although the home is another. */
function withCache(env: PiPlace["env"]): Record<string, string> {
  const cache = execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim();
  return { ...env, npm_config_cache: cache, npm_config_prefer_offline: "true", npm_config_update_notifier: "false" };
}
