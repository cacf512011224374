/**
 * Every request of the page to the server, one function per address. Nothing else fetches.
 * A failure is a value (`FetchResult`): status 0 means that the server did not answer. Responses are read with the
 * schemas of `core/wire`; a response that does not fit is an issue like any other.
 */
import * as v from "valibot";
import { CastResponse, ChangesResponse, PatchResponse, type VisitFileName } from "../../../core/wire/casts.ts";
import {
  CatalogResponse,
  ConfigResponse,
  EquipmentResponse,
  ModelsResponse,
  TestFilesResponse,
  type SaveConfigRequest,
  type EditableLayer,
  type TrustRequest,
} from "../../../core/wire/catalog.ts";
import { InboxRow } from "../../../core/view/inbox.ts";
import {
  CommandResponse,
  type RehearsalRequest,
  type TypedCommandRequest,
  parseResponse,
} from "../../../core/wire/commands.ts";
import { fetchJson, fetchText, queryString, type FetchResult } from "./request.ts";

let earlyCast: { readonly id: string; readonly answer: ReturnType<typeof getCast> } | null = null;

/** Asks for the cast of the address while its page still loads. */
export function requestCastEarly(id: string): void {
  earlyCast = { id, answer: getCast(id) };
}

function castPath(id: string, ...rest: readonly string[]): string {
  return ["/api/casts", ...[id, ...rest].map(encodeURIComponent)].join("/");
}

export function getCast(id: string, signal?: AbortSignal): Promise<FetchResult<CastResponse>> {
  const early = earlyCast;
  earlyCast = null;
  return early?.id === id ? early.answer : fetchJson(castPath(id), CastResponse, { signal });
}

/** [YI2] Casts of all projects of this machine. */
export function getInbox() {
  return fetchJson("/api/inbox", v.array(InboxRow));
}

/** [YP21] Null declines; status 404 if it is no longer open. */
export function answerQuestion(id: string, answer: string | null) {
  return fetchJson(`/api/questions/${encodeURIComponent(id)}`, v.unknown(), { method: "POST", body: { answer } });
}

export function deleteCast(id: string) {
  return fetchJson(castPath(id), v.unknown(), { method: "DELETE" });
}

/** A file of one visit; status 204 if it is not written yet. */
export function getVisitFile(
  id: string,
  { socket, visit, name }: { readonly socket: string; readonly visit: number; readonly name: VisitFileName },
  signal: AbortSignal,
) {
  const path = castPath(id, "files", socket, `${visit}`, name);
  return fetchText(`${path}?expected${name === "input.json" ? "&whole" : ""}`, { signal });
}

/** The files that a visit (`Socket-4#2`), an item (`loop/WI-2`) or, with null, the whole cast changed. */
export function getChanges(id: string, place: string | null, signal: AbortSignal) {
  return fetchJson(`${castPath(id, "changes")}${queryString({ place })}`, ChangesResponse, { signal });
}

export function getPatch(
  id: string,
  of: { readonly place: string | null; readonly path: string },
  signal: AbortSignal,
) {
  return fetchJson(`${castPath(id, "changes", "patch")}${queryString(of)}`, PatchResponse, { signal });
}

/** Status 404 with the code `missing_file` if there is no file yet. */
export function getConfig(layer: EditableLayer) {
  return fetchJson(`/api/config/${layer}`, ConfigResponse);
}

/** `etag` is the tag of the replaced text, null for a new file. The server refuses a changed file with 412. */
export function putConfig(layer: EditableLayer, text: string, etag: string | null) {
  const headers: Readonly<Record<string, string>> = etag === null ? { "if-none-match": "*" } : { "if-match": etag };
  const body: SaveConfigRequest = { text };
  return fetchJson(`/api/config/${layer}`, ConfigResponse, { method: "PUT", body, headers });
}

export function getCatalog() {
  return fetchJson("/api/catalog", CatalogResponse);
}

export function getTestFiles() {
  return fetchJson("/api/tests", TestFilesResponse);
}

export function getModels() {
  return fetchJson("/api/models", ModelsResponse);
}

/** The draft of the Pi session that opened this page; null without one. */
export function getHandedDraft() {
  return fetchJson("/api/draft", v.nullable(DraftOutput));
}

/** [YD15] */
export const DraftOutput = v.object({ name: v.string(), config: v.record(v.string(), v.unknown()) });

export function getEquipment() {
  return fetchJson("/api/equipment", EquipmentResponse);
}

/** Trusts exactly the shown content; 412 if it changed. */
export function grantTrust(body: TrustRequest) {
  return fetchJson("/api/trust", v.unknown(), { method: "POST", body });
}

export function runCommand(body: TypedCommandRequest, signal?: AbortSignal): Promise<FetchResult<CommandResponse>> {
  return fetchJson("/api/commands", CommandResponse, { method: "POST", body, signal });
}

export async function fetchCommandOutput<const S extends v.GenericSchema>(
  request: TypedCommandRequest,
  shape: S,
  signal?: AbortSignal,
): Promise<FetchResult<v.InferOutput<S>>> {
  const answer = await runCommand(request, signal);
  if (!answer.ok) return answer;
  const data = "data" in answer.value ? answer.value.data : undefined;
  const read = parseResponse(shape, data, request.command.kind);
  return read.ok ? { ...answer, value: read.value } : { ok: false, status: 200, issues: read.issues };
}

export function startRehearsal(body: RehearsalRequest) {
  return fetchJson("/api/rehearse", CommandResponse, { method: "POST", body });
}
