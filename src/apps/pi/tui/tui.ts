export type Tui = typeof import("@earendil-works/pi-tui");

let own: Tui | undefined;

/** Only Pi's own copy measures as Pi does: another release counts some characters otherwise. */
export function useTui(tui: Tui): void {
  own = tui;
}

/** How Pi measures and cuts text, reads keys and draws Markdown. */
export function piTui(): Tui {
  if (!own) throw new Error("the extension has not been registered");
  return own;
}
