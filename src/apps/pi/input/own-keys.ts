import type { KeyId } from "@earendil-works/pi-tui";

/** The key that opens the view of what agents do, and closes it. */
export const CONVERSATIONS_KEY: KeyId = "alt+w";

/** The key that opens one card after the other. */
export const NEXT_CARD_KEY: KeyId = "alt+o";
