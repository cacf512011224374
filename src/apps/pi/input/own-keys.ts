import type { KeyId } from "@earendil-works/pi-tui";

/** The key that opens the view of what agents do, and closes it. */
export const VIEW_KEY: KeyId = "alt+w";

/** The key that opens one card after the other. */
export const CARD_KEY: KeyId = "alt+o";
