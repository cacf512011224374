import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import * as v from "valibot";
import { parseArgv } from "../../src/core/command/parse.ts";
import { Config } from "../../src/core/model/config.ts";
import { userConfigFile } from "../../src/shell/config/config.ts";
import { resolveFleetProfile } from "../../src/shell/fleet/open-fleet.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const compose = read("examples/fleet/compose.yaml");
const unit = read("examples/fleet/materia-worker.service");

/** What is wrong with a command of ours, word by word. */
function problemsOf(words: readonly string[]): unknown {
  const parsed = parseArgv(words);
  return parsed.ok ? [] : parsed.issues;
}

it("[C22] every command of the deployment examples is one that there is", () => {
  const commands = [
    ...compose.matchAll(/bin\/materia ([^"\n]+)"/g),
    ...unit.matchAll(/^ExecStart=\S+\/materia (.+)$/gm),
  ];
  const lines = commands.map(([, line = ""]) => line);
  expect(lines).toEqual([
    "fleet migrate --on team",
    "worker --on team --concurrency 2",
    "worker --on team --concurrency 2 --port 9464",
  ]);
  expect(lines.map((line) => problemsOf(line.split(" ")))).toEqual(lines.map(() => []));
});

it("[C22] the composed workers have the packages, the profile and the variables that they need", () => {
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  for (const [, name = "", version] of compose.matchAll(/ ((?:@[\w-]+\/)?[\w-]+)@(\d[\w.-]*)/g))
    expect([name, version]).toEqual([name, devDependencies[name]]);
  // Where a worker of that home looks for its profile.
  const at = userConfigFile({ HOME: "/home/node" }).replace("/home/node/", "");
  const installed = compose.match(/mkdir -p (\S+) && cp \/etc\/(\S+) \1\//);
  expect(`${installed?.[1]}/${installed?.[2]}`).toBe(at);
  expect(compose).toContain("working_dir: /home/node");
  // A dollar is written twice, or it would be filled in before a worker reads it.
  const [, content = ""] = /content: '(.+)'/.exec(compose) ?? [];
  expect(content).toContain("$$");
  const { fleet = { profiles: {} } } = v.parse(Config, JSON.parse(content.replaceAll("$$", "$")));
  const [, url = ""] = /FLEET_URL: (\S+)/.exec(compose) ?? [];
  const env = { FLEET_URL: url.replace("${MATERIA_PASSWORD}", "secret") };
  const profile = resolveFleetProfile({ fleet }, "team", { cwd: "/", env });
  expect(profile).toMatchObject({ ok: true, value: { url: "postgres://materia:secret@127.0.0.1/materia" } });
  // What has to be given is said at the top.
  const [head = ""] = compose.split("services:");
  for (const [, name = ""] of compose.matchAll(/\$\{(\w+)\}/g)) expect(head).toContain(name);
});

it("[C22] the unit names the files that it needs, and starts a worker again that was given up", () => {
  expect(unit).toContain(userConfigFile({ HOME: "~materia" }));
  const settings = new Map([...unit.matchAll(/^(\w+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]));
  // It leaves with 75 then, which is no success.
  expect(settings.get("Restart")).toBe("on-failure");
  expect([...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)).toEqual(["Unit", "Service", "Install"]);
  // One signal asks it to drain; its child processes must not get it too.
  expect(settings.get("KillMode")).toBe("mixed");
});
