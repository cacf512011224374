import * as v from "valibot";
import { LoginChallenge, LoginKey, LoginToken, loginMessage } from "../../../core/wire/response.ts";

const TOKEN_KEY = "materia-token";

/** The address contains the token once; the page then removes it from the address. */
export function takeTokenFromUrl(): void {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return;
  sessionStorage.setItem(TOKEN_KEY, token);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
  void fetchBrowserKey();
}

/** A request with the token; renews a rejected token once. */
export async function fetchAuthenticated(path: string, { headers, ...init }: AuthenticatedRequest): Promise<Response> {
  const ask = (): Promise<Response> => fetch(path, { ...init, headers: { ...authorizationHeader(), ...headers } });
  // A tab that another tab opened has no token yet.
  if (sessionStorage.getItem(TOKEN_KEY) === null) await renewToken();
  const response = await ask();
  return response.status === 401 && (await renewToken()) ? ask() : response;
}

interface AuthenticatedRequest extends Omit<RequestInit, "headers"> {
  readonly headers: Readonly<Record<string, string>>;
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
    const key = await readBrowserKey();
    if (!key) return false;
    const { challenge } = v.parse(LoginChallenge, await (await fetch("/door")).json());
    const text = new TextEncoder().encode(loginMessage(Number(location.port), challenge));
    const proof = encodeBase64Url(await crypto.subtle.sign("HMAC", key, text));
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
    const bytes = Uint8Array.from(decodeBase64Url(v.parse(LoginKey, await answer.json()).key), (each) =>
      each.charCodeAt(0),
    );
    await storeBrowserKey(
      await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]),
    );
  } catch {
    // A browser without storage, such as a private window.
  }
}

function encodeBase64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decodeBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

const STORE_NAME = "door";
const KEY_NAME = "key";

/** The stored key of this browser for this address. */
async function readBrowserKey(): Promise<CryptoKey | null> {
  const found: unknown = await withKeyStore("readonly", (place) => place.get(KEY_NAME));
  return found instanceof CryptoKey ? found : null;
}

async function storeBrowserKey(key: CryptoKey): Promise<void> {
  await withKeyStore("readwrite", (place) => place.put(key, KEY_NAME));
}

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
