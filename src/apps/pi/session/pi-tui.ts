import type { KeyId } from "@earendil-works/pi-tui";

export type PiTui = typeof import("@earendil-works/pi-tui");

let loadedTui: PiTui | undefined;

/** Only Pi's own copy measures as Pi does: another release counts some characters differently. */
export function setPiTui(tui: PiTui): void {
  loadedTui = tui;
}

/** How Pi measures and cuts text, reads keys and draws Markdown. */
export function piTui(): PiTui {
  if (!loadedTui) throw new Error("the extension has not been registered");
  return loadedTui;
}

/** The key that opens and closes the view of agents. */
export const CONVERSATIONS_KEY: KeyId = "alt+w";

/** The key that shows the patch of a card. */
export const PATCH_KEY: KeyId = "alt+c";

/** The key that opens one card after the other. */
export const NEXT_CARD_KEY: KeyId = "alt+o";
