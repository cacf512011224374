import * as v from "valibot";
import { firstView } from "../browser/first-view.ts";
import { error, type Issue } from "../../../core/model/issue.ts";
import { parseJson } from "../../../core/model/json.ts";
import {
  ErrorResponse,
  parseResponse,
  LoginChallenge,
  LoginKey,
  LoginToken,
  loginMessage,
} from "../../../core/wire/commands.ts";

/** The response of the server: a value or issues. A lost connection has status 0. */
export type FetchResult<T> =
  | { readonly ok: true; readonly status: number; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly issues: readonly Issue[] };

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export async function fetchJson<const T extends v.GenericSchema>(
  path: string,
  shape: T,
  options: RequestOptions = {},
): Promise<FetchResult<v.InferOutput<T>>> {
  const answer = await fetchText(path, options);
  if (!answer.ok) return answer;
  const read = parseResponse(shape, parseJson(answer.value), path);
  return read.ok ? { ...answer, value: read.value } : { ok: false, status: 200, issues: read.issues };
}

export async function fetchText(path: string, options: RequestOptions = {}): Promise<FetchResult<string>> {
  const { method = "GET", body, headers = {}, signal } = options;
  try {
    const response = await fetchAuthenticated(path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    const text = await response.text();
    if (response.ok) return { ok: true, status: response.status, value: text };
    return { ok: false, status: response.status, issues: refusalIssues(parseJson(text), response.status) };
  } catch (thrown) {
    return { ok: false, status: 0, issues: [connectionIssue(thrown)] };
  }
}

function refusalIssues(body: unknown, status: number): readonly Issue[] {
  if (v.is(ErrorResponse, body) && body.issues.length > 0) return body.issues;
  const message =
    status === 401
      ? "This page has no valid token. Open the address that `materia ui` printed."
      : `The server answered ${status}.`;
  return [error("unexpected_response", "", message)];
}

function connectionIssue(thrown: unknown): Issue {
  const aborted = thrown instanceof DOMException && thrown.name === "AbortError";
  const message = aborted ? "Cancelled." : "The server cannot be reached. Is `materia ui` still running?";
  return error(aborted ? "request_cancelled" : "server_unreachable", "", message);
}

export function queryString(values: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

const TOKEN_KEY = "materia-token";

/** The address contains the token once; the page then removes it from the address. */
export function takeTokenFromUrl(): void {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return;
  sessionStorage.setItem(TOKEN_KEY, token);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
  void firstView.then(fetchBrowserKey);
}

/** A request with the token; renews a rejected token once. */
export async function fetchAuthenticated(
  path: string,
  { headers, ...init }: Omit<RequestInit, "headers"> & { readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const ask = (): Promise<Response> => fetch(path, { ...init, headers: { ...authorizationHeader(), ...headers } });
  // A tab that another tab opened has no token yet.
  if (sessionStorage.getItem(TOKEN_KEY) === null) await renewToken();
  const response = await ask();
  return response.status === 401 && (await renewToken()) ? ask() : response;
}

function authorizationHeader(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

let tokenRenewal: Promise<boolean> | null = null;

/** [W28] Proves the stored key and gets the token of the running server. Concurrent callers share one request. */
function renewToken(): Promise<boolean> {
  tokenRenewal ??= exchangeKeyForToken().finally(() => {
    tokenRenewal = null;
  });
  return tokenRenewal;
}

async function exchangeKeyForToken(): Promise<boolean> {
  try {
    const key: unknown = await withKeyStore("readonly", (place) => place.get(KEY_NAME));
    if (!(key instanceof CryptoKey)) return false;
    const { challenge } = v.parse(LoginChallenge, await (await fetch("/door")).json());
    const text = new TextEncoder().encode(loginMessage(Number(location.port), challenge));
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, text));
    const base64 = btoa(String.fromCharCode(...signature));
    const proof = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/door", { method: "POST", headers, body: JSON.stringify({ proof }) });
    if (!answer.ok) return false;
    sessionStorage.setItem(TOKEN_KEY, v.parse(LoginToken, await answer.json()).token);
    return true;
  } catch {
    // The server is stopped or older: the original request reports that.
    return false;
  }
}

/** Scripts can use the stored key but not read it. Without a key the page works until the server ends. */
async function fetchBrowserKey(): Promise<void> {
  // The server gives no key to a page under a host name.
  if (location.hostname !== "127.0.0.1") return;
  try {
    const answer = await fetch("/api/key", { headers: authorizationHeader() });
    if (!answer.ok) return;
    const text = atob(
      v
        .parse(LoginKey, await answer.json())
        .key.replaceAll("-", "+")
        .replaceAll("_", "/"),
    );
    const bytes = Uint8Array.from(text, (each) => each.charCodeAt(0));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    await withKeyStore("readwrite", (place) => place.put(key, KEY_NAME));
  } catch {
    // A browser without storage, such as a private window.
  }
}

/** In this browser, for this address. */
const STORE_NAME = "door";
const KEY_NAME = "key";

async function withKeyStore<T>(mode: IDBTransactionMode, act: (place: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open("materia", 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE_NAME));
  const base = await requestResult(opening);
  try {
    return await requestResult(act(base.transaction(STORE_NAME, mode).objectStore(STORE_NAME)));
  } finally {
    base.close();
  }
}

function requestResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the browser keeps nothing")));
  });
}
