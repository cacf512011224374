import * as v from "valibot";
import { DoorChallenge, DoorKey, DoorToken, doorText } from "../../../../core/wire/door.ts";
import { keptKey, keepKey } from "./key-store.ts";

const KEY = "materia-token";

/** The token comes with the address once, and is kept out of it from then on. */
export function takeToken(): void {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return;
  sessionStorage.setItem(KEY, token);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
  void becomeKnown();
}

/** A request as somebody whom the server knows; a token that it does not know any more is renewed once. */
export async function fetchAsKnown(path: string, { headers, ...init }: Asked): Promise<Response> {
  const ask = (): Promise<Response> => fetch(path, { ...init, headers: { ...authorization(), ...headers } });
  // A tab that was opened beside the first one has no token yet.
  if (sessionStorage.getItem(KEY) === null) await enter();
  const response = await ask();
  return response.status === 401 && (await enter()) ? ask() : response;
}

interface Asked extends Omit<RequestInit, "headers"> {
  readonly headers: Readonly<Record<string, string>>;
}

function authorization(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

let entering: Promise<boolean> | null = null;

/** [W28] Proves the key that was kept and gets the token of the server as it runs now; however many ask, once. */
function enter(): Promise<boolean> {
  entering ??= proveKey().finally(() => {
    entering = null;
  });
  return entering;
}

async function proveKey(): Promise<boolean> {
  try {
    const key = await keptKey();
    if (!key) return false;
    const { challenge } = v.parse(DoorChallenge, await (await fetch("/door")).json());
    const text = new TextEncoder().encode(doorText(Number(location.port), challenge));
    const proof = base64url(await crypto.subtle.sign("HMAC", key, text));
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/door", { method: "POST", headers, body: JSON.stringify({ proof }) });
    if (!answer.ok) return false;
    sessionStorage.setItem(KEY, v.parse(DoorToken, await answer.json()).token);
    return true;
  } catch {
    // A server that is not there, or one of an older version: what was asked for says so itself.
    return false;
  }
}

/** The key is kept where scripts can use it and not read it. Without it the page works until the server ends. */
async function becomeKnown(): Promise<void> {
  // Under a name the server gives none.
  if (location.hostname !== "127.0.0.1") return;
  try {
    const answer = await fetch("/api/key", { headers: authorization() });
    if (!answer.ok) return;
    const bytes = Uint8Array.from(fromBase64url(v.parse(DoorKey, await answer.json()).key), (each) =>
      each.charCodeAt(0),
    );
    await keepKey(await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
  } catch {
    // A browser that keeps nothing, such as a private window.
  }
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}
