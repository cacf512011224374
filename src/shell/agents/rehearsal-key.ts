import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { SocketTurns, TurnRequest } from "../ports.ts";

/** [V9] What a second attempt at an item is called besides. */
const ATTEMPT = /\.\d+$/;

/** [A10] The key that a turn is served from: socket and item, materia and item, socket, materia, whichever is there first. */
export function keyFor(rehearsal: Rehearsal, at: Pick<TurnRequest, "socket" | "materia" | "item">): string {
  const { socket, materia, item } = at;
  const items = item === null ? [] : [item, ...(ATTEMPT.test(item) ? [item.replace(ATTEMPT, "")] : [])];
  const keys = [...items.flatMap((each) => [`${socket}@${each}`, `${materia}@${each}`]), socket];
  return keys.find((key) => Object.hasOwn(rehearsal.replies, key)) ?? materia;
}

/** [A11] How many turns a key has served so far; a more particular key does not move a wider one. */
export function turnsServed(
  key: string,
  rehearsal: Rehearsal,
  earlier: readonly SocketTurns[],
  item: string | null,
): number {
  const items = [...new Set([...itemsIn(rehearsal), ...(item === null ? [] : [item])])];
  return earlier.reduce((sum, turns) => sum + servedTo(turns, key, rehearsal, items), 0);
}

function servedTo(
  { socket, materia, turns, turnsFor }: SocketTurns,
  key: string,
  rehearsal: Rehearsal,
  items: readonly string[],
): number {
  const particular = items.filter((item) => isParticular(keyFor(rehearsal, { socket, materia, item })));
  const ofItems = (wanted: (item: string) => boolean): number =>
    particular.filter(wanted).reduce((sum, item) => sum + turnsFor(item), 0);
  if (isParticular(key)) return ofItems((item) => keyFor(rehearsal, { socket, materia, item }) === key);
  return keyFor(rehearsal, { socket, materia, item: null }) === key ? turns - ofItems(() => true) : 0;
}

const ITEM = /@(WI-\d+(?:\.\d+)?)$/;

function isParticular(key: string): boolean {
  return ITEM.test(key);
}

/** The items that keys of this file name, each once. */
function itemsIn({ replies }: Rehearsal): readonly string[] {
  return [...new Set(Object.keys(replies).flatMap((key) => ITEM.exec(key)?.[1] ?? []))];
}
