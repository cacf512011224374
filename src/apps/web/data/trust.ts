import type { FetchResult } from "../net/request.ts";
import { grantTrust } from "../net/api.ts";
import { createStore, type Store } from "../browser/store.ts";
import { currentTrust, loadCatalog } from "./use-catalog.ts";

/** [W35] The callback of the open trust question; null if none is open. */
export const pendingTrustAnswer: Store<((isGiven: boolean) => void) | null> = createStore<
  ((isGiven: boolean) => void) | null
>(null);

/** [W35] Asks for trust after a refusal, then sends the request again. */
export async function sendWithTrust<T>(send: (trust: boolean) => Promise<FetchResult<T>>): Promise<FetchResult<T>> {
  const refused = await send(false);
  if (refused.ok || !refused.issues.some(({ code }) => code === "untrusted_project")) return refused;
  await loadCatalog();
  const isGiven = await new Promise<boolean>((resolve) => pendingTrustAnswer.set(resolve));
  pendingTrustAnswer.set(null);
  if (!isGiven) return refused;
  const trust = currentTrust();
  // Content that is too large to watch is trusted for one request only.
  return send(trust?.given === false && trust.digest === null);
}

/** Opens the question without a request. */
export function showTrustDialog(): void {
  pendingTrustAnswer.set(() => pendingTrustAnswer.set(null));
}

/** Trusts exactly the shown content; false if it changed and must be shown again. */
export async function trustDigest(digest: string): Promise<boolean> {
  const answer = await grantTrust(digest);
  await loadCatalog();
  return answer.ok;
}
