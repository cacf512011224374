/**
 * Everything the page asks of the server. One function per address; nothing else fetches.
 *
 * For other pages: `getCatalog`, `getConfig`/`putConfig` (with the ETag), `runCommand` (the text after `/materia`).
 * A failure is a value (`FetchResult`): `issues` say what is wrong, `showStatus` 0 means that nobody answered.
 * What arrives is read with the schemas of `core/wire`; what cannot be read is an issue like any other.
 */
import * as v from "valibot";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { error, type Issue } from "../../../core/model/issue.ts";
import {
  CastResponse,
  CastListResponse,
  type VisitFileName,
  ChangesResponse,
  PatchResponse,
} from "../../../core/wire/casts.ts";
import {
  CatalogResponse,
  ConfigResponse,
  type SaveConfigRequest,
  type EditableLayer,
  type TrustRequest,
} from "../../../core/wire/catalog.ts";
import {
  type SearchHit,
  type SearchEnd,
  readCastMessage,
  readCastListMessage,
  readFleetMessage,
  readSearchMessage,
  type AgentProgress,
} from "../../../core/wire/stream.ts";
import {
  CommandResponse,
  type ConfigDraft,
  type RehearsalRequest,
  type CommandRequest,
} from "../../../core/wire/commands.ts";
import { TestsWithOldName, type RenameInTestsRequest } from "../../../core/wire/testing.ts";
import type { FleetStatus } from "../../../core/view/progress/fleet-status.ts";
import { parseResponse } from "../../../core/wire/response.ts";
import { recordServerActivity, reportStreamState } from "./connection.ts";
import { fetchJson, fetchText, type FetchResult } from "./request.ts";
import { followStream, type ServerSentEvent } from "./stream.ts";
import { followWhileVisible, followSharedStream } from "./shared-streams.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

export function getCast(id: string, signal?: AbortSignal): Promise<FetchResult<CastResponse>> {
  return fetchJson(`/api/casts/${encodeURIComponent(id)}`, CastResponse, signal ? { signal } : {});
}

/** A file of one visit; status 204 where it is not written yet. */
export function getVisitFile(
  id: string,
  { socket, visit, name }: { readonly socket: string; readonly visit: number; readonly name: VisitFileName },
  signal?: AbortSignal,
): Promise<FetchResult<string>> {
  const path = [id, "files", socket, `${visit}`, name].map(encodeURIComponent).join("/");
  return fetchText(`/api/casts/${path}?expected${name === "input.json" ? "&whole" : ""}`, signal ? { signal } : {});
}

/** What a visit (`Socket-4#2`), an item (`loop/WI-2`) or, with null, the whole cast changed. */
export function getChanges(
  id: string,
  place: string | null,
  signal: AbortSignal,
): Promise<FetchResult<ChangesResponse>> {
  return fetchJson(`/api/casts/${encodeURIComponent(id)}/changes${queryString({ place })}`, ChangesResponse, {
    signal,
  });
}

/** One of these files, as far as it is sent. */
export function getPatch(
  id: string,
  { place, path }: { readonly place: string | null; readonly path: string },
  signal: AbortSignal,
): Promise<FetchResult<PatchResponse>> {
  const query = queryString({ place, path });
  return fetchJson(`/api/casts/${encodeURIComponent(id)}/changes/patch${query}`, PatchResponse, { signal });
}

function queryString(values: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** Status 404 with the code `missing_file` where there is none yet. */
export function getConfig(layer: EditableLayer): Promise<FetchResult<ConfigResponse>> {
  return fetchJson(`/api/config/${encodeURIComponent(layer)}`, ConfigResponse);
}

/** `etag` is that of the text it replaces, null for a new file; a file that changed meanwhile is refused with 412. */
export function putConfig(
  layer: EditableLayer,
  text: string,
  etag: string | null,
): Promise<FetchResult<ConfigResponse>> {
  const body: SaveConfigRequest = { text };
  return fetchJson(`/api/config/${encodeURIComponent(layer)}`, ConfigResponse, {
    method: "PUT",
    body,
    headers: etag === null ? { "if-none-match": "*" } : { "if-match": etag },
  });
}

export function getCatalog(): Promise<FetchResult<CatalogResponse>> {
  return fetchJson("/api/catalog", CatalogResponse);
}

/** Trust in exactly what was shown; 412 where it is another by now. */
export function grantTrust(digest: string): Promise<FetchResult<unknown>> {
  const body: TrustRequest = { digest };
  return fetchJson("/api/trust", v.unknown(), { method: "POST", body });
}

/** The same text as after `/materia`. */
export function runCommand(
  command: string,
  { trust = false, draft }: { readonly trust?: boolean; readonly draft?: ConfigDraft } = {},
): Promise<FetchResult<CommandResponse>> {
  const body: CommandRequest = { command, ...(trust ? { trust } : {}), ...(draft ? { draft } : {}) };
  return fetchJson("/api/commands", CommandResponse, { method: "POST", body });
}

/** What a command would print as JSON, read as what it must be. */
export async function fetchCommandOutput<const S extends v.GenericSchema>(
  command: string,
  shape: S,
  { signal, trust = false }: { readonly signal?: AbortSignal; readonly trust?: boolean } = {},
): Promise<FetchResult<v.InferOutput<S>>> {
  const body: CommandRequest = { command, ...(trust ? { trust } : {}) };
  const answer = await fetchJson("/api/commands", CommandResponse, {
    method: "POST",
    body,
    ...(signal ? { signal } : {}),
  });
  if (!answer.ok) return answer;
  const data = "data" in answer.value ? answer.value.data : undefined;
  const read = parseResponse(shape, data, command);
  return read.ok ? { ...answer, value: read.value } : { ok: false, status: 200, issues: read.issues, body: data };
}

/** [E31] The tests that still say an old name; with `tests`, those that are to say the new one, and then what is left. */
export function renameInTests(body: RenameInTestsRequest): Promise<FetchResult<TestsWithOldName>> {
  return fetchJson("/api/tests/rename", TestsWithOldName, { method: "POST", body });
}

/** A cast of a loadout or a chain with replies that were typed or made up. */
export function startRehearsal(body: RehearsalRequest): Promise<FetchResult<CommandResponse>> {
  return fetchJson("/api/rehearse", CommandResponse, { method: "POST", body });
}

export interface CastListener {
  /** The number of the last event that is known. */
  readonly after: () => number;
  readonly onEvent: (event: CastEvent) => void;
  readonly onProgress: (progress: AgentProgress) => void;
  readonly onLive: (live: boolean) => void;
  readonly onItem: (item: { readonly child: string; readonly socket: string }) => void;
  /** The journal is another one than before: everything is to be read anew. */
  readonly onReset: () => void;
  /** Something arrived that cannot be read, or the journal itself cannot be read on. */
  readonly onIssue: (issue: Issue) => void;
  /** From here on it is heard, or heard again. */
  readonly onOpen: () => void;
  /** Whether this tab hears it by itself: other windows may be looked at instead. */
  readonly onActiveChange: (isHeard: boolean) => void;
}

/** The events of a cast behind those that are known, for as long as somebody looks. Returns the stop. */
export function followCast(id: string, listener: CastListener): () => void {
  const stream = Symbol(id);
  const hear = ({ event, data }: ServerSentEvent): void => {
    recordServerActivity();
    const message = readCastMessage(event, data);
    if (!message.ok) {
      // What comes behind an event that is missing makes no sense; a note about an agent can be missed.
      if (event === "message") stop();
      return message.issues.forEach(listener.onIssue);
    }
    switch (message.value.kind) {
      case "message":
        return listener.onEvent(message.value.data);
      case "progress":
        return listener.onProgress(message.value.data);
      case "live":
        return listener.onLive(message.value.data.live);
      case "item":
        return listener.onItem(message.value.data);
      case "reset":
        return listener.onReset();
      case "damaged":
        // Asked again, the server would say the same for ever.
        stop();
        return listener.onIssue(damagedJournalIssue(id, message.value.data.line));
    }
  };
  const unfollow = followWhileVisible(`/api/casts/${encodeURIComponent(id)}/events`, {
    after: listener.after,
    onMessage: hear,
    onState: (state) => {
      if (state === "open") listener.onOpen();
      reportStreamState(stream, state);
    },
    onActiveChange: (isHeard) => {
      if (!isHeard) reportStreamState(stream, null);
      listener.onActiveChange(isHeard);
    },
  });
  const stop = (): void => {
    unfollow();
    reportStreamState(stream, null);
  };
  return stop;
}

function damagedJournalIssue(id: string, line: number): Issue {
  const message = `line ${line} of the journal is damaged; what comes behind it cannot be shown`;
  return error("damaged_journal", `line ${line}`, message, `materia doctor ${id}`);
}

export interface CastsListener {
  readonly onCast: (cast: CastSummary) => void;
  readonly onGone: (castId: string) => void;
  readonly onReady: () => void;
  /** A configuration file is another one than before. */
  readonly onConfig: () => void;
  readonly onIssue: (issue: Issue) => void;
}

/** [W38] Every cast, then each one that appears or changes, for as long as the page is there. */
export function followCasts({ onCast, onGone, onReady, onConfig, onIssue }: CastsListener): void {
  const stream = Symbol("casts");
  const since = new Set<string>();
  followSharedStream("/api/casts/stream", {
    onState: (state) => reportStreamState(stream, state),
    onMessage: ({ event, data }) => {
      recordServerActivity();
      const message = readCastListMessage(event, data);
      if (!message.ok) return message.issues.forEach(onIssue);
      switch (message.value.kind) {
        case "cast":
          since.add(message.value.data.castId);
          return onCast(message.value.data);
        case "gone":
          since.add(message.value.data.castId);
          return onGone(message.value.data.castId);
        case "ready":
          return onReady();
        case "config":
          return onConfig();
      }
    },
    onJoin: () => void join(),
  });
  const join = async (): Promise<void> => {
    const answer = await fetchJson("/api/casts", CastListResponse);
    if (!answer.ok) {
      reportStreamState(stream, answer.status === 401 ? "refused" : "lost");
      return answer.status === 200 ? answer.issues.forEach(onIssue) : undefined;
    }
    // What was heard meanwhile is newer.
    for (const cast of answer.value) if (!since.has(cast.castId)) onCast(cast);
    reportStreamState(stream, "open");
    return onReady();
  };
}

export interface SearchListener {
  readonly onFound: (found: SearchHit) => void;
  readonly onDone: (over: SearchEnd) => void;
  readonly onIssue: (issue: Issue) => void;
}

/** A search in one cast or, with null, in all of them, for as long as somebody waits for it. Returns the stop. */
export function searchCastTexts(
  { needle, castId }: { readonly needle: string; readonly castId: string | null },
  { onFound, onDone: onOver, onIssue }: SearchListener,
): () => void {
  const where = castId === null ? "/api/search" : `/api/casts/${encodeURIComponent(castId)}/search`;
  const stop = followWithStatus(`${where}${queryString({ q: needle })}`, undefined, ({ event, data }) => {
    const message = readSearchMessage(event, data);
    if (!message.ok) return message.issues.forEach(onIssue);
    if (message.value.kind === "found") return onFound(message.value.data);
    // It would begin anew.
    stop();
    return onOver(message.value.data);
  });
  return stop;
}

/** [B29] Who works on what, and what waits, for as long as somebody looks. Returns the stop. */
export function followFleet(listener: {
  readonly onStanding: (standing: FleetStatus) => void;
  readonly onIssue: (issue: Issue) => void;
}): () => void {
  return followWithStatus("/api/fleet/stream", undefined, ({ event, data }) => {
    const message = readFleetMessage(event, data);
    if (message.ok) listener.onStanding(message.value.data);
    else message.issues.forEach(listener.onIssue);
  });
}

function followWithStatus(
  path: string,
  after: (() => number) | undefined,
  onMessage: (message: ServerSentEvent) => void,
): () => void {
  const stream = Symbol(path);
  const stop = followStream(path, {
    ...(after ? { after } : {}),
    onState: (state) => reportStreamState(stream, state),
    onMessage: (message) => {
      recordServerActivity();
      onMessage(message);
    },
  });
  return () => {
    stop();
    reportStreamState(stream, null);
  };
}
