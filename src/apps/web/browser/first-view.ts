import { useEffect } from "react";

const drawn = Promise.withResolvers<void>();
const LONGEST_WAIT_MS = 2_000;
setTimeout(() => drawn.resolve(), LONGEST_WAIT_MS);

/** Resolves when the first view is drawn: everything else waits for it. */
export const firstView = drawn.promise;

/** A page calls this with true once its content is there. Not every browser says when it is idle. */
export function useFirstView(isShown: boolean): void {
  useEffect(() => {
    if (isShown) (globalThis.requestIdleCallback ?? setTimeout)(() => drawn.resolve());
  }, [isShown]);
}
