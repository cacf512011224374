/**
 * Everything the page asks of the server. One function per address; nothing else fetches.
 *
 * For other pages: `getCatalog`, `getConfig`/`putConfig` (with the ETag), `runCommand` (the text after `/materia`).
 * A failure is a value (`Answer`): `issues` say what is wrong, `status` 0 means that nobody answered.
 */
import type { CastEvent } from "../../../core/cast/event.ts";
import { parseEvent } from "../../../core/cast/event.ts";
import type { CastStart } from "../../../core/cast/state.ts";
import type { Settings } from "../../../core/catalog/catalog.ts";
import type { Entry } from "../../../core/catalog/layer.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import type { Materia } from "../../../core/model/materia.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { heard, reportStream } from "./net/connection.ts";
import { request } from "./net/request.ts";
import type { Answer } from "./net/request.ts";
import { follow } from "./net/stream.ts";

/** `cast.json`, as far as the page reads it. */
export interface CastFile extends Omit<CastStart, "data"> {
  readonly command: string;
  readonly targets: readonly { readonly kind: string; readonly name: string }[];
  readonly loadout: { readonly id: string; readonly name: string };
  readonly stitches: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  readonly fromCastId: string | null;
  readonly state: CastStart["data"];
  readonly model: string | null;
  readonly rehearsal: string | null;
  readonly cwd: string;
  readonly startedAt: string;
}

export interface CastReply {
  readonly castFile: CastFile;
  readonly events: readonly CastEvent[];
  /** Whether a process drives it now. */
  readonly live: boolean;
  readonly issues?: readonly Issue[];
}

export function getCasts(): Promise<Answer<readonly CastSummary[]>> {
  return request("/api/casts");
}

export function getCast(id: string, signal?: AbortSignal): Promise<Answer<CastReply>> {
  return request(`/api/casts/${encodeURIComponent(id)}`, signal ? { signal } : {});
}

/** A file of one visit: `prompt.md`, `output.md`, `handoff.json`, `transcript.jsonl`, `input.json`, `stdout.txt`, `stderr.txt`. */
export function getVisitFile(
  id: string,
  { socket, visit, name }: { readonly socket: string; readonly visit: number; readonly name: string },
  signal?: AbortSignal,
): Promise<Answer<string>> {
  const path = [id, "files", socket, `${visit}`, name].map(encodeURIComponent).join("/");
  return request(`/api/casts/${path}`, { as: "text", ...(signal ? { signal } : {}) });
}

export type ConfigLayer = "user" | "project" | "explicit";

/** A configuration file as it stands: its text, where it lies, and the ETag that a save must name. */
export interface ConfigReply {
  readonly text: string;
  readonly file: string;
  readonly exists: boolean;
}

export function getConfig(layer: string): Promise<Answer<ConfigReply>> {
  return request(`/api/config/${encodeURIComponent(layer)}`);
}

/** `etag` is that of the text it replaces; a file that changed meanwhile is refused with 412. */
export function putConfig(layer: string, text: string, etag: string | null): Promise<Answer<ConfigReply>> {
  return request(`/api/config/${encodeURIComponent(layer)}`, {
    method: "PUT",
    body: { text },
    headers: etag === null ? { "if-none-match": "*" } : { "if-match": etag },
  });
}

export interface CatalogReply {
  readonly materia: Readonly<Record<string, Entry<Materia>>>;
  readonly loadouts: Readonly<Record<string, Entry<Loadout>>>;
  readonly settings: Settings;
  readonly issues: readonly Issue[];
}

export function getCatalog(): Promise<Answer<CatalogReply>> {
  return request("/api/catalog");
}

export interface CommandReply {
  readonly exitCode: number;
  readonly output: string;
  readonly issues?: readonly Issue[];
  readonly castId?: string;
}

/** The same text as after `/materia`. */
export function runCommand(command: string): Promise<Answer<CommandReply>> {
  return request("/api/commands", { method: "POST", body: { command } });
}

/** What the agent of a visit does right now; kept nowhere. */
export type Progress = { readonly socket: string; readonly visit: number } & (
  | { readonly kind: "asked" }
  | { readonly kind: "text" | "thinking"; readonly from: number; readonly delta: string }
  | { readonly kind: "tool_started"; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly kind: "tool_ended"; readonly id: string; readonly name: string; readonly failed: boolean }
  | { readonly kind: "retrying"; readonly attempt: number; readonly delayMs: number; readonly error: string }
);

export interface CastListener {
  /** The number of the last event that is known. */
  readonly after: () => number;
  readonly onEvent: (event: CastEvent) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly onLive: (live: boolean) => void;
  /** The journal is another one than before: everything is to be read anew. */
  readonly onReset: () => void;
}

/** The events of a cast behind those that are known, for as long as somebody looks. Returns the stop. */
export function followCast(id: string, listener: CastListener): () => void {
  return listen(`/api/casts/${encodeURIComponent(id)}/events`, listener.after, ({ event, data }) => {
    const value: unknown = JSON.parse(data);
    if (event === "message") {
      const parsed = parseEvent(value);
      if (typeof parsed !== "string") listener.onEvent(parsed);
    } else if (event === "progress") listener.onProgress(value as Progress);
    else if (event === "live") listener.onLive((value as { live: boolean }).live);
    else if (event === "reset") listener.onReset();
  });
}

export interface CastsListener {
  readonly onCast: (cast: CastSummary) => void;
  readonly onGone: (castId: string) => void;
  readonly onReady: () => void;
}

/** Every cast, then each one that appears or changes. Returns the stop. */
export function followCasts({ onCast, onGone, onReady }: CastsListener): () => void {
  return listen("/api/casts/stream", undefined, ({ event, data }) => {
    const value: unknown = JSON.parse(data);
    if (event === "cast") onCast(value as CastSummary);
    else if (event === "gone") onGone((value as { castId: string }).castId);
    else if (event === "ready") onReady();
  });
}

function listen(
  path: string,
  after: (() => number) | undefined,
  onMessage: (message: { readonly event: string; readonly data: string }) => void,
): () => void {
  const stream = Symbol(path);
  const stop = follow(path, {
    ...(after ? { after } : {}),
    onState: (state) => reportStream(stream, state),
    onMessage: (message) => {
      heard();
      onMessage(message);
    },
  });
  return () => {
    stop();
    reportStream(stream, null);
  };
}
