import * as v from "valibot";
import { error, type Issue } from "../../../core/model/issue.ts";
import { ErrorResponse, parseResponse } from "../../../core/wire/response.ts";
import { fetchAuthenticated } from "./authentication.ts";

/** The response of the server: a value or issues. A lost connection has status 0. */
export type FetchResult<T> =
  | { readonly ok: true; readonly status: number; readonly value: T; readonly etag: string | null }
  | { readonly ok: false; readonly status: number; readonly issues: readonly Issue[]; readonly body: unknown };

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Fetches JSON and parses it with a schema. */
export async function fetchJson<const T extends v.GenericSchema>(
  path: string,
  shape: T,
  options: RequestOptions = {},
): Promise<FetchResult<v.InferOutput<T>>> {
  const answer = await fetchText(path, options);
  if (!answer.ok) return answer;
  const body = parseJson(answer.value);
  const read = parseResponse(shape, body, path);
  return read.ok ? { ...answer, value: read.value } : { ok: false, status: 200, issues: read.issues, body };
}

/** Fetches a text. */
export async function fetchText(path: string, options: RequestOptions = {}): Promise<FetchResult<string>> {
  const { method = "GET", body, headers = {}, signal } = options;
  try {
    const response = await fetchAuthenticated(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    if (response.ok) return { ok: true, status: response.status, value: text, etag: response.headers.get("etag") };
    const refusal = parseJson(text);
    return { ok: false, status: response.status, issues: refusalIssues(refusal, response.status), body: refusal };
  } catch (thrown) {
    return { ok: false, status: 0, issues: [connectionIssue(thrown)], body: null };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
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
