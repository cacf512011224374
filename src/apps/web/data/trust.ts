import type { FetchResult } from "../net/request.ts";
import { grantTrust } from "../net/api.ts";
import { createStore, type Store } from "../browser/store.ts";
import { currentTrust, loadCatalog } from "./use-catalog.ts";

/** [W35] Who waits for the person's yes or no to all that the project would run; null where nobody does. */
export const pendingTrustAnswer: Store<((isGiven: boolean) => void) | null> = createStore<
  ((isGiven: boolean) => void) | null
>(null);

/** [W35] One question for everything that needs trust: it is asked, and what was refused is sent again. */
export async function sendWithTrust<T>(send: (trust: boolean) => Promise<FetchResult<T>>): Promise<FetchResult<T>> {
  const refused = await send(false);
  if (refused.ok || !refused.issues.some(({ code }) => code === "untrusted_project")) return refused;
  await loadCatalog();
  const isGiven = await new Promise<boolean>((resolve) => pendingTrustAnswer.set(resolve));
  pendingTrustAnswer.set(null);
  if (!isGiven) return refused;
  const trust = currentTrust();
  // What is too large to be watched is trusted this once.
  return send(trust?.given === false && trust.digest === null);
}

/** Asked without anything that waits for it. */
export function showTrustDialog(): void {
  pendingTrustAnswer.set(() => pendingTrustAnswer.set(null));
}

/** Trust in exactly what was shown; false where it has changed meanwhile, and is to be looked at anew. */
export async function trustDigest(digest: string): Promise<boolean> {
  const answer = await grantTrust(digest);
  await loadCatalog();
  return answer.ok;
}
