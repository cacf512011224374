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
  type SaveConfigRequest,
  type EditableLayer,
  type TrustRequest,
} from "../../../core/wire/catalog.ts";
import { CommandResponse, type RehearsalRequest, type TypedCommandRequest } from "../../../core/wire/commands.ts";
import { parseResponse } from "../../../core/wire/response.ts";
import { TestsWithOldName, type RenameInTestsRequest } from "../../../core/wire/testing.ts";
import { fetchJson, fetchText, queryString, type FetchResult } from "./request.ts";

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
