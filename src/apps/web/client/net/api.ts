/**
 * Everything the page asks of the server. One function per address; nothing else fetches.
 *
 * For other pages: `getCatalog`, `getConfig`/`putConfig` (with the ETag), `runCommand` (the text after `/materia`).
 * A failure is a value (`Answer`): `issues` say what is wrong, `status` 0 means that nobody answered.
 */
import type { CastEvent } from "../../../../core/cast/event.ts";
import { parseEvent } from "../../../../core/cast/event.ts";
import type { CastStart } from "../../../../core/cast/state.ts";
import type { Settings } from "../../../../core/catalog/catalog.ts";
import type { LayerName } from "../../../../core/catalog/layer.ts";
import type { Stitch } from "../../../../core/compile/targets/stitch.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import type { Loadout } from "../../../../core/model/loadout.ts";
import type { Materia } from "../../../../core/model/materia.ts";
import type { CastSummary } from "../../../../core/view/casts.ts";
import { heard, reportStream } from "./connection.ts";
import { request } from "./request.ts";
import type { Answer } from "./request.ts";
import { follow } from "./stream.ts";

/** `cast.json`, as far as the page reads it. */
export interface CastFile extends Omit<CastStart, "data"> {
  readonly command: string;
  readonly targets: readonly { readonly kind: string; readonly name: string }[];
  readonly loadout: { readonly id: string; readonly name: string };
  readonly stitches: readonly Stitch[];
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

export type EditableLayer = "user" | "project";

/** A configuration file as it stands: its text, what it means, and the ETag that a save must name. */
export interface ConfigReply {
  readonly layer: EditableLayer;
  readonly file: string;
  readonly text: string;
  readonly etag: string;
  /** What the text means; null where it is no JSON. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** Status 404 with the code `missing_file` where there is none yet. */
export function getConfig(layer: EditableLayer): Promise<Answer<ConfigReply>> {
  return request(`/api/config/${encodeURIComponent(layer)}`);
}

/** `etag` is that of the text it replaces, null for a new file; a file that changed meanwhile is refused with 412. */
export function putConfig(layer: EditableLayer, text: string, etag: string | null): Promise<Answer<ConfigReply>> {
  return request(`/api/config/${encodeURIComponent(layer)}`, {
    method: "PUT",
    body: { text },
    headers: etag === null ? { "if-none-match": "*" } : { "if-match": etag },
  });
}

/** What can be named: a materia or loadout of the merged catalogue, with where it comes from. */
export interface NamedEntry<T> {
  readonly name: string;
  readonly layer: LayerName;
  readonly file: string | null;
  /** Null where it is broken; the issues say why. */
  readonly value: T | null;
  readonly issues: readonly Issue[];
}

export interface CatalogReply {
  readonly version: string;
  readonly cwd: string;
  readonly settings: Settings;
  readonly materia: readonly NamedEntry<Materia>[];
  readonly loadouts: readonly NamedEntry<Loadout>[];
  readonly issues: readonly Issue[];
  readonly configFiles: readonly string[];
  /** The files that the page may edit. */
  readonly layers: { readonly user: string; readonly project: string };
  readonly trust:
    | { readonly given: true }
    | { readonly given: false; readonly file: string; readonly commands: readonly string[] };
}

export function getCatalog(): Promise<Answer<CatalogReply>> {
  return request("/api/catalog");
}

/** A command that starts or resumes a cast answers with its id at once; any other with what it would print. */
export type CommandReply =
  | { readonly castId: string; readonly notes?: readonly string[] }
  | { readonly code: number; readonly text: string; readonly data: unknown };

/** The same text as after `/materia`. */
export function runCommand(
  command: string,
  { trust = false }: { readonly trust?: boolean } = {},
): Promise<Answer<CommandReply>> {
  return request("/api/commands", { method: "POST", body: { command, ...(trust ? { trust } : {}) } });
}

export interface RehearseRequest {
  readonly loadout?: string;
  readonly targets?: readonly string[];
  readonly prompt: string;
  readonly replies: Readonly<Record<string, readonly unknown[]>>;
  readonly onEmpty?: "fail" | "repeat-last";
  readonly trust?: boolean;
}

/** A cast of a loadout or a chain with replies that were typed or made up. */
export function rehearse(body: RehearseRequest): Promise<Answer<CommandReply>> {
  return request("/api/rehearse", { method: "POST", body });
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
