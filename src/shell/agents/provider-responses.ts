import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { readRefusal, type ProviderAnswer } from "../../core/cast/provider-refusal.ts";
import type { TurnGuard } from "./turn-guard.ts";

export interface ResponseRecord {
  refused?: Pick<ProviderAnswer, "status" | "headers">;
}

const turns = new AsyncLocalStorage<ResponseRecord>();
let isSubscribed = false;

/** [Z1] Records the status and the headers of refused requests that `run` makes. Pi reports neither for an error. */
export function recordResponses<T>(record: ResponseRecord, run: () => T): T {
  if (!isSubscribed) subscribeToFetch();
  delete record.refused;
  return turns.run(record, run);
}

/** Node's fetch publishes every request here, from any client library. */
function subscribeToFetch(): void {
  isSubscribed = true;
  const owners = new WeakMap<object, ResponseRecord>();
  subscribe("undici:request:create", (message) => {
    const [request, record] = [fieldOf(message, "request"), turns.getStore()];
    if (record && isObject(request)) owners.set(request, record);
  });
  subscribe("undici:request:headers", (message) => {
    const request = fieldOf(message, "request");
    const record = isObject(request) ? owners.get(request) : undefined;
    const status = fieldOf(fieldOf(message, "response"), "statusCode");
    if (!record || typeof status !== "number" || status < 400) return;
    record.refused = { status, headers: headersFrom(fieldOf(fieldOf(message, "response"), "headers")) };
  });
}

/** Undici passes names and values in turn, as bytes. */
function headersFrom(raw: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (!Array.isArray(raw)) return headers;
  for (let at = 0; at + 1 < raw.length; at += 2) headers[String(raw[at]).toLowerCase()] = String(raw[at + 1]);
  return headers;
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** [Z2] Pi repeats no request that is refused for longer: the cast decides what happens then. */
export function endTurnAtRefusal(
  guard: TurnGuard,
  last: AssistantMessage | undefined,
  { refused }: ResponseRecord,
): void {
  if (last?.stopReason !== "error") return;
  const message = last.errorMessage ?? "";
  const refusal = readRefusal({ ...refused, text: message }, { now: Date.now() });
  if (refusal && refusal.kind !== "transient") guard.end({ reason: "provider", message });
}
