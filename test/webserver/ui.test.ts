import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { project } from "./harness.ts";

const MATERIA = join(import.meta.dirname, "../../bin/materia.mjs");

it.each<[rule: string, signal: NodeJS.Signals]>([
  ["[N26, N29] Ctrl-C ends it", "SIGINT"],
  ["[N26, N29] so does a request to end", "SIGTERM"],
])("%s", async (_rule, signal) => {
  const at = project();
  const bin = join(at.cwd, "bin");
  mkdirSync(bin);
  const opened = join(at.cwd, "opened");
  // What every user of the machine sees of it, the rights of the file that it names, and what a browser would find there.
  const look = 'tr "\\0" " " < /proc/$$/cmdline; echo; stat -c %a "$1" "${1%/*}"; cat "$1"';
  const opener = `#!/bin/sh\n{ ${look}; } > ${opened}.part && mv ${opened}.part ${opened}\n`;
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(bin, name), opener);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { ...at.place.env, PATH: `${bin}:${process.env["PATH"]}` } as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [MATERIA, "ui", "--open"], {
    cwd: at.cwd,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  const url = new URL(line);
  const headers = { authorization: `Bearer ${url.searchParams.get("token")}` };
  expect(await (await fetch(`${url.origin}/api/casts`, { headers })).json()).toEqual([]);
  const stream = await fetch(`${url.origin}/api/casts/stream`, { headers });
  const [seen = "", rights, folderRights, ...page] = (await textOf(opened)).split("\n");
  expect([seen.includes("token"), rights, folderRights]).toEqual([false, "600", "700"]);
  expect(page.join("\n")).toContain(`<meta http-equiv="refresh" content="0; url=${line}">`);
  const file = /\S+open\.html/.exec(seen)?.[0] ?? "";
  expect(existsSync(file)).toBe(true);
  child.kill(signal);
  expect(await exited).toEqual([0, null]);
  expect(existsSync(dirname(file))).toBe(false);
  await stream.body?.cancel().catch(() => undefined);
});

/** The text of a file as soon as it is there. */
async function textOf(file: string): Promise<string> {
  const appeared = Promise.withResolvers<void>();
  const look = (): void => (existsSync(file) ? appeared.resolve() : undefined);
  const watcher = watch(dirname(file), look);
  look();
  await appeared.promise;
  watcher.close();
  return readFileSync(file, "utf8");
}
