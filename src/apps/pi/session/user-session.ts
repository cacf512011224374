import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** The user's session as Pi hands it out; after `/new`, `/reload` and the like every use of it throws. */
export interface UserSession {
  readonly pi: ExtensionAPI;
  readonly ctx: ExtensionContext;
}

/** What is done to a session that may have been replaced while we waited; nothing when it has. */
export function runUnlessReplaced<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (thrown) {
    if (isStaleSession(thrown)) return undefined;
    throw thrown;
  }
}

export async function runUnlessReplacedAsync<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (thrown) {
    if (isStaleSession(thrown)) return undefined;
    throw thrown;
  }
}

function isStaleSession(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes("stale after session replacement");
}
