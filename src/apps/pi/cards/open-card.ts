/** Cards in the order in which they were drawn first, which is that of the session. */
const cardIds = new Set<string>();
let newestCard: string | undefined;
let chosenCard: string | undefined;

/** [X46] Whether a card is open: of those with an id one alone, the chosen one, or the newest where all were to be expanded. */
export function isCardOpen(id: unknown, expanded: boolean): boolean {
  if (typeof id !== "string") return expanded;
  if (!cardIds.has(id)) {
    cardIds.add(id);
    newestCard = id;
  }
  return id === (chosenCard ?? (expanded ? newestCard : undefined));
}

/** [X46] Opens the card before the one that is open, from the newest on; behind the oldest none is open. */
export function openNextCard(): void {
  const all = [...cardIds];
  const at = chosenCard === undefined ? all.length : all.indexOf(chosenCard);
  chosenCard = all[at - 1];
}

/** Another session has cards of its own. */
export function resetCards(): void {
  cardIds.clear();
  newestCard = undefined;
  chosenCard = undefined;
}
