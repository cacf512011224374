import type { Fetched } from "../net/request.ts";
import { giveTrust } from "../net/api.ts";
import { openStore, type Store } from "../browser/store.ts";
import { knownTrust, readCatalog } from "./use-catalog.ts";

/** [W35] Who waits for the person's yes or no to all that the project would run; null where nobody does. */
export const asking: Store<((isGiven: boolean) => void) | null> = openStore<((isGiven: boolean) => void) | null>(null);

/** [W35] One question for everything that needs trust: it is asked, and what was refused is sent again. */
export async function sendWithTrust<T>(send: (trust: boolean) => Promise<Fetched<T>>): Promise<Fetched<T>> {
  const refused = await send(false);
  if (refused.ok || !refused.issues.some(({ code }) => code === "not_trusted")) return refused;
  await readCatalog();
  const isGiven = await new Promise<boolean>((resolve) => asking.set(resolve));
  asking.set(null);
  if (!isGiven) return refused;
  const trust = knownTrust();
  // What is too large to be watched is trusted this once.
  return send(trust?.given === false && trust.digest === null);
}

/** Asked without anything that waits for it. */
export function lookAtTrust(): void {
  asking.set(() => asking.set(null));
}

/** Trust in exactly what was shown; false where it has changed meanwhile, and is to be looked at anew. */
export async function trustShown(digest: string): Promise<boolean> {
  const answer = await giveTrust(digest);
  await readCatalog();
  return answer.ok;
}
