import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { runUnlessReplaced } from "./user-session.ts";

const ANNOUNCE_DELAY_MS = 250;

/** [X27] One line about casts of this project that stopped half-way, once Pi has started. */
export function announceUnfinishedCasts(ctx: ExtensionContext): void {
  if (!ctx.hasUI || !existsSync(join(ctx.cwd, ".pi"))) return;
  setTimeout(() => {
    import("./unfinished.ts")
      .then(({ unfinishedCastsText: unfinishedText }) => runUnlessReplaced(() => unfinishedText(ctx)))
      .then((text) => text !== undefined && runUnlessReplaced(() => ctx.ui.notify(text, "info")))
      // A greeting that cannot be made is not worth a word.
      .catch(() => undefined);
  }, ANNOUNCE_DELAY_MS).unref();
}
