/** Cards in the order in which they were drawn first, which is that of the session. */
const known = new Set<string>();
let newest: string | undefined;
let chosen: string | undefined;

/** [X46] Whether a card is open: of those with an id one alone, the chosen one, or the newest where all were to be expanded. */
export function isOpenCard(id: unknown, expanded: boolean): boolean {
  if (typeof id !== "string") return expanded;
  if (!known.has(id)) {
    known.add(id);
    newest = id;
  }
  return id === (chosen ?? (expanded ? newest : undefined));
}

/** [X46] Opens the card before the one that is open, from the newest on; behind the oldest none is open. */
export function openNextCard(): void {
  const all = [...known];
  const at = chosen === undefined ? all.length : all.indexOf(chosen);
  chosen = all[at - 1];
}

/** Another session has cards of its own. */
export function forgetCards(): void {
  known.clear();
  newest = undefined;
  chosen = undefined;
}
