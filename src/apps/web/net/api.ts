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

let earlyCast: { readonly id: string; readonly answer: Promise<FetchResult<CastResponse>> } | null = null;

/** Asks for the cast of the address while its page still loads. */
export function requestCastEarly(id: string): void {
  earlyCast = { id, answer: getCast(id) };
}

export function getCast(id: string, signal?: AbortSignal): Promise<FetchResult<CastResponse>> {
  const early = earlyCast;
  earlyCast = null;
  if (early?.id === id) return early.answer;
  return fetchJson(`/api/casts/${encodeURIComponent(id)}`, CastResponse, signal ? { signal } : {});
}

/** [YI2] Casts of all projects of this machine. */
export function getInbox(): Promise<FetchResult<InboxRow[]>> {
  return fetchJson("/api/inbox", v.array(InboxRow));
}

export function deleteCast(id: string): Promise<FetchResult<unknown>> {
  return fetchJson(`/api/casts/${encodeURIComponent(id)}`, v.unknown(), { method: "DELETE" });
}

/** A file of one visit; status 204 if it is not written yet. */
export function getVisitFile(
  id: string,
  { socket, visit, name }: { readonly socket: string; readonly visit: number; readonly name: VisitFileName },
  signal?: AbortSignal,
): Promise<FetchResult<string>> {
  const path = [id, "files", socket, `${visit}`, name].map(encodeURIComponent).join("/");
  return fetchText(`/api/casts/${path}?expected${name === "input.json" ? "&whole" : ""}`, signal ? { signal } : {});
}

/** The files that a visit (`Socket-4#2`), an item (`loop/WI-2`) or, with null, the whole cast changed. */
export function getChanges(
  id: string,
  place: string | null,
  signal: AbortSignal,
): Promise<FetchResult<ChangesResponse>> {
  return fetchJson(`/api/casts/${encodeURIComponent(id)}/changes${queryString({ place })}`, ChangesResponse, {
    signal,
  });
}

/** The patch of one of these files; the server cuts long ones. */
export function getPatch(
  id: string,
  { place, path }: { readonly place: string | null; readonly path: string },
  signal: AbortSignal,
): Promise<FetchResult<PatchResponse>> {
  const query = queryString({ place, path });
  return fetchJson(`/api/casts/${encodeURIComponent(id)}/changes/patch${query}`, PatchResponse, { signal });
}

/** Status 404 with the code `missing_file` if there is no file yet. */
export function getConfig(layer: EditableLayer): Promise<FetchResult<ConfigResponse>> {
  return fetchJson(`/api/config/${encodeURIComponent(layer)}`, ConfigResponse);
}

/** `etag` is the tag of the replaced text, null for a new file. The server refuses a changed file with 412. */
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

export function getModels(): Promise<FetchResult<ModelsResponse>> {
  return fetchJson("/api/models", ModelsResponse);
}

export function getEquipment(): Promise<FetchResult<EquipmentResponse>> {
  return fetchJson("/api/equipment", EquipmentResponse);
}

/** Trusts exactly the shown content; 412 if it changed. */
export function grantTrust(digest: string): Promise<FetchResult<unknown>> {
  const body: TrustRequest = { digest };
  return fetchJson("/api/trust", v.unknown(), { method: "POST", body });
}

export function runCommand(request: TypedCommandRequest, signal?: AbortSignal): Promise<FetchResult<CommandResponse>> {
  return fetchJson("/api/commands", CommandResponse, { method: "POST", body: request, ...(signal ? { signal } : {}) });
}

/** The JSON output of a command, read with its schema. */
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

/** A rehearsal of a loadout or a chain with given or generated replies. */
export function startRehearsal(body: RehearsalRequest): Promise<FetchResult<CommandResponse>> {
  return fetchJson("/api/rehearse", CommandResponse, { method: "POST", body });
}
