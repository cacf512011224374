import { error } from "../../../../core/model/issue.ts";
import type { Issue } from "../../../../core/model/issue.ts";

/** What the server said: a value, or why not. A lost connection is an answer like any other, with status 0. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly etag: string | null }
  | { readonly ok: false; readonly status: number; readonly issues: readonly Issue[]; readonly body: unknown };

const KEY = "materia-token";

/** The token comes with the address once, and is kept out of it from then on. */
export function takeToken(): void {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return;
  sessionStorage.setItem(KEY, token);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
}

export function authorization(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly as?: "json" | "text";
}

export async function request<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const { method = "GET", body, headers = {}, signal, as = "json" } = options;
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...authorization(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    const value: unknown = as === "text" && response.ok ? text : readJson(text);
    // The server is ours: what it answers with success has the shape that the caller names.
    if (response.ok) return { ok: true, value: value as T, etag: response.headers.get("etag") };
    return { ok: false, status: response.status, issues: issuesIn(value, response.status), body: value };
  } catch (thrown) {
    return { ok: false, status: 0, issues: [lost(thrown)], body: null };
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function issuesIn(body: unknown, status: number): readonly Issue[] {
  if (typeof body === "object" && body !== null && "issues" in body && Array.isArray(body.issues) && body.issues.length)
    return body.issues as readonly Issue[]; // our own server's shape
  const message =
    status === 401
      ? "This page has no valid token. Open the address that `materia ui` printed."
      : `The server answered ${status}.`;
  return [error("unexpected_answer", "", message)];
}

function lost(thrown: unknown): Issue {
  const aborted = thrown instanceof DOMException && thrown.name === "AbortError";
  const message = aborted ? "Cancelled." : "The server cannot be reached. Is `materia ui` still running?";
  return error(aborted ? "cancelled" : "unreachable", "", message);
}
