import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, watch as systemWatch, writeFileSync } from "node:fs";
import { sealNextLines } from "../harness/journals.ts";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Hono } from "hono";
import { createWebApp } from "../../src/apps/server/open-ui.ts";
import {
  createFolderWatcher,
  type FolderWatcher,
  type FolderWatcherPorts,
} from "../../src/shell/system/folder-watcher.ts";
import { openCastRuns, type CastRuns } from "../../src/apps/server/served-project.ts";
import type { OpenAgentHost } from "../../src/shell/workspace/agent-hosts.ts";
import type { ConfigContext } from "../../src/shell/config/config.ts";

export const TOKEN = "the-token";
export const DOOR_KEY = "dGhlIGtleSBvZiB0aGUgZG9vcg";
export const PORT = 4321;
const ORIGIN = `http://127.0.0.1:${PORT}`;

export interface Project {
  readonly place: ConfigContext;
  readonly cwd: string;
  readonly root: string;
  readonly write: (name: string, content: unknown) => string;
}

/** An empty project with a separate user configuration. */
export function project(): Project {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-web-")));
  const cwd = join(top, "project");
  mkdirSync(cwd);
  const write: Project["write"] = (name, content) => {
    const file = join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const env = { HOME: top, XDG_CONFIG_HOME: join(top, "config"), PATH: process.env["PATH"] };
  return { place: { cwd, env }, cwd, root: join(cwd, ".pi", "pi-materia"), write };
}

export interface Site extends Project {
  readonly app: Hono;
  readonly runs: CastRuns;
  readonly watch: FolderWatcher;
  readonly problems: string[];
  /** A second passes for everyone who waits for one. */
  readonly tick: () => void;
  /** A request as the page makes it. */
  readonly ask: (path: string, init?: Ask) => Promise<Response>;
  readonly send: (path: string, body: unknown, init?: Ask) => Promise<Response>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly signal?: AbortSignal;
}

export interface Setting {
  readonly assets?: string;
  readonly port?: () => number;
  readonly watchSystem?: FolderWatcherPorts["watch"];
  readonly token?: string;
  readonly openReal?: OpenAgentHost;
}

export function site(from: Project = project(), setting: Setting = {}): Site {
  const { assets = join(from.cwd, "no-build"), port = () => PORT, watchSystem = systemWatch, token = TOKEN } = setting;
  const { openReal = () => Promise.reject(new Error("tests rehearse")) } = setting;
  const problems: string[] = [];
  const runs = openCastRuns((problem) => problems.push(problem));
  const seconds = new Set<() => void>();
  const everySecond = (listener: () => void) => {
    seconds.add(listener);
    return () => seconds.delete(listener);
  };
  const watch = createFolderWatcher({ watch: watchSystem, everySecond });
  const app = createWebApp({
    place: from.place,
    token,
    loginKey: DOOR_KEY,
    port,
    assets,
    openReal,
    live: { watch, runs, everySecond },
    report: (problem) => problems.push(problem),
  });
  onTestFinished(runs.stop);
  const ask: Site["ask"] = async (path, { headers = {}, ...init } = {}) =>
    app.request(`${ORIGIN}${path}`, {
      headers: { host: `127.0.0.1:${PORT}`, authorization: `Bearer ${token}`, ...headers },
      ...(init.body instanceof ReadableStream ? { duplex: "half" } : {}),
      ...init,
    });
  const send: Site["send"] = (path, body, init = {}) =>
    ask(path, {
      method: "POST",
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
      body: JSON.stringify(body),
    });
  const tick = (): void => [...seconds].forEach((listener) => listener());
  return { ...from, app, runs, watch, problems, tick, ask, send };
}

/** The JSON of an answer; tests compare it whole. */
export async function json(response: Response | Promise<Response>): Promise<unknown> {
  return (await response).json();
}

/** `401 invalid_token`: how an answer refuses, in a word. */
export async function refusal(response: Response | Promise<Response>): Promise<string> {
  const answer = await response;
  const body = (await answer.json()) as { issues?: { code: string }[] };
  return [answer.status, ...(body.issues ?? []).map(({ code }) => code)].join(" ");
}

export interface Message {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

export interface Heard {
  /** Everything up to the first message that suits, that one included. */
  readonly until: (suits: (message: Message) => boolean) => Promise<readonly Message[]>;
  readonly rest: () => Promise<readonly Message[]>;
  readonly close: () => Promise<void>;
}

/** A stream as a page hears it. */
export function hear(response: Response): Heard {
  if (!response.body) throw new Error(`no stream: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const message = messageOf(text.slice(0, end));
        text = text.slice(end + 2);
        if (message) return message;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  const until: Heard["until"] = async (suits) => {
    const heard: Message[] = [];
    for (let message = await next(); message; message = await next()) {
      heard.push(message);
      if (suits(message)) return heard;
    }
    return heard;
  };
  return { until, rest: () => until(() => false), close: () => reader.cancel() };
}

function messageOf(block: string): Message | undefined {
  const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const data = fields.get("data");
  if (data === undefined) return undefined;
  const id = fields.get("id");
  return { event: fields.get("event") ?? "message", ...(id === undefined ? {} : { id }), data: JSON.parse(data) };
}

export const isEvent =
  (type: string) =>
  ({ data }: Message): boolean =>
    typeof data === "object" && data !== null && "type" in data && data.type === type;

/** Starts a cast of one agent that says `requestResult`, and gives its id. */
export async function castOf(at: Site, replies: unknown = { Build: [{ text: "done" }] }): Promise<string> {
  const response = await at.send("/api/rehearse", { targets: ["Build"], prompt: "do it", replies });
  const { castId } = (await response.json()) as { castId: string };
  return castId;
}

export async function ended(at: Site, castId: string): Promise<readonly Message[]> {
  const stream = hear(await at.ask(`/api/casts/${castId}/events`));
  const heard = await stream.until(isEvent("cast_ended"));
  await stream.close();
  return heard;
}

/** A cast on disk that nobody drives, with so many events. */
export function journalOf(at: Site, castId: string, lines: number) {
  const runDir = join(at.root, castId);
  mkdirSync(runDir, { recursive: true });
  writeFileSync(join(runDir, "cast.json"), "{}");
  const file = join(runDir, "journal.jsonl");
  writeFileSync(file, "");
  /** Lines as they follow those of the journal. */
  const sealed = (text: string): string => sealNextLines(file, castId, text);
  const append = (from: number, count: number): void =>
    appendFileSync(file, sealed(Array.from({ length: count }, (_, index) => `${line(from + index)}\n`).join("")));
  append(1, lines);
  return { file, append, sealed };
}

export function line(seq: number, text = `event ${seq}`): string {
  const head = { seq, at: "2026-01-01T00:00:00.000Z" };
  if (seq === 1) return JSON.stringify({ ...head, type: "cast_started", castId: "c", request: "r", loadout: "l" });
  return JSON.stringify({ ...head, type: "person_answered", socket: "Socket-1", visit: 1, text });
}
