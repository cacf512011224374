import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterFile } from "./after-file.ts";
import { envOf, newPlace, PROGRAM, readText } from "./cli.ts";

export const ACTION = join(import.meta.dirname, "../../action");

export const config = {
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
export const replies = {
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
export function runner(payload: object = {}): { readonly cwd: string; readonly env: Record<string, string> } {
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

export function git(cwd: string, env: Record<string, string>, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, env, encoding: "utf8" });
}

export async function step({ cwd, env }: ReturnType<typeof runner>, inputs: Record<string, string>) {
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

/** The commands that a runner reads in a log: the newer form begins a line, the older one may stand anywhere in it. */
export function runnerCommands(log: string): readonly string[] {
  const commands: string[] = [];
  let stopped: string | undefined;
  for (const line of log.split(/\r\n|[\r\n]/)) {
    const [, name, data] = /^\s*::([\w-]+)[^:]*::(.*)$/.exec(line) ?? /##\[([\w-]+)[^\]]*\](.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (stopped !== undefined) stopped = name === stopped ? undefined : stopped;
    else if (name === "stop-commands") stopped = data;
    else commands.push(line);
  }
  return commands;
}

export interface ApiComment {
  readonly id: number;
  readonly user: { readonly login: string; readonly type: string };
  body: string;
}

/** A stand-in for the API of GitHub: comments of one issue, and who may do what. Nobody has more rights than the token. */
export async function standInApi(comments: ApiComment[], permissions: Record<string, string> = {}, mayWrite = true) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let sent = "";
    request.on("data", (part) => (sent += String(part)));
    request.on("end", () => {
      const [method, url] = [request.method ?? "", request.url ?? ""];
      calls.push(`${method} ${url}`);
      const body = sent === "" ? "" : (JSON.parse(sent) as ApiComment).body;
      const reply = (status: number, data: unknown) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(data));
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
      const [, login] = /collaborators\/([^/]+)\/permission/.exec(url) ?? [];
      if (login !== undefined) return reply(200, { permission: permissions[decodeURIComponent(login)] ?? "read" });
      if (method === "GET") return reply(200, comments.slice(100 * (page - 1), 100 * page));
      if (!mayWrite) return reply(403, { message: "Resource not accessible by integration" });
      const own = comments.find(({ id }) => url.endsWith(`/comments/${id}`));
      if (own) own.body = body;
      else comments.push({ id: 1_000 + comments.length, user: { login: "github-actions[bot]", type: "Bot" }, body });
      return reply(200, {});
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterFile(() => server.close());
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
