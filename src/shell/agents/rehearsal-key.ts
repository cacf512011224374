import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { SocketTurnCount, TurnRequest } from "../ports.ts";

/** [V9] What a second attempt at an item is called besides. */
const ATTEMPT_SUFFIX = /\.\d+$/;

/** [A10] The key that a turn is served from: socket and item, materia and item, socket, materia, whichever is there first. */
export function rehearsalKeyFor(rehearsal: Rehearsal, at: Pick<TurnRequest, "socket" | "materia" | "item">): string {
  const { socket, materia, item } = at;
  const items = item === null ? [] : [item, ...(ATTEMPT_SUFFIX.test(item) ? [item.replace(ATTEMPT_SUFFIX, "")] : [])];
  const keys = [...items.flatMap((each) => [`${socket}@${each}`, `${materia}@${each}`]), socket];
  return keys.find((key) => Object.hasOwn(rehearsal.replies, key)) ?? materia;
}

/** [A11] How many turns a key has served so far; a more particular key does not move a wider one. */
export function countServedTurns(
  key: string,
  rehearsal: Rehearsal,
  earlier: readonly SocketTurnCount[],
  item: string | null,
): number {
  const items = [...new Set([...itemsNamedIn(rehearsal), ...(item === null ? [] : [item])])];
  return earlier.reduce((sum, turns) => sum + countServedToSocket(turns, key, rehearsal, items), 0);
}

function countServedToSocket(
  { socket, materia, turns, turnsFor }: SocketTurnCount,
  key: string,
  rehearsal: Rehearsal,
  items: readonly string[],
): number {
  const particular = items.filter((item) => isItemKey(rehearsalKeyFor(rehearsal, { socket, materia, item })));
  const ofItems = (wanted: (item: string) => boolean): number =>
    particular.filter(wanted).reduce((sum, item) => sum + turnsFor(item), 0);
  if (isItemKey(key)) return ofItems((item) => rehearsalKeyFor(rehearsal, { socket, materia, item }) === key);
  return rehearsalKeyFor(rehearsal, { socket, materia, item: null }) === key ? turns - ofItems(() => true) : 0;
}

const ITEM_SUFFIX = /@(WI-\d+(?:\.\d+)?)$/;

function isItemKey(key: string): boolean {
  return ITEM_SUFFIX.test(key);
}

/** The items that keys of this file name, each once. */
function itemsNamedIn({ replies }: Rehearsal): readonly string[] {
  return [...new Set(Object.keys(replies).flatMap((key) => ITEM_SUFFIX.exec(key)?.[1] ?? []))];
}
