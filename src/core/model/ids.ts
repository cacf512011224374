import * as v from "valibot";

/** [G14] Another identifier than `Socket-N` loads, with a warning; `end` is the way out, never a place. */
export const SocketId = v.pipe(
  v.string(),
  v.regex(
    /^(?!end$)[A-Za-z][A-Za-z0-9_-]{0,99}$/,
    'is not a socket id (letters, digits, - and _, beginning with a letter; not "end")',
  ),
  v.brand("SocketId"),
);
export type SocketId = v.InferOutput<typeof SocketId>;

export const END = "end";

/** Where a way leads. */
export const Destination = v.union([v.literal(END), SocketId], 'is neither a socket id nor "end"');
export type Destination = v.InferOutput<typeof Destination>;

export function isCanonicalSocketId(id: string): boolean {
  return /^Socket-[1-9][0-9]*$/.test(id);
}

/** By number, then by name: the order in which people read sockets. */
export function sortSocketIds(ids: readonly string[]): readonly string[] {
  if (areSortedByNumber(ids)) return ids;
  const numbered = ids.map((id) => ({ id, number: socketNumber(id) }));
  numbered.sort((a, b) => (a.number === b.number ? (a.id < b.id ? -1 : 1) : a.number - b.number));
  return numbered.map(({ id }) => id);
}

/** As they are mostly written: `Socket-1`, `Socket-2`, … */
function areSortedByNumber(ids: readonly string[]): boolean {
  let before = 0;
  return ids.every((id) => {
    const number = socketNumber(id);
    const isBehind = number > before && number !== Infinity;
    before = number;
    return isBehind;
  });
}

function socketNumber(id: string): number {
  return isCanonicalSocketId(id) ? Number(id.slice(7)) : Infinity;
}

export const CastId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/), v.brand("CastId"));
export type CastId = v.InferOutput<typeof CastId>;

/** [C6] An id becomes a folder name: a separator or ".." would leave the artifact root. */
export function parseCastId(text: string): CastId | undefined {
  const parsed = v.safeParse(CastId, text);
  return parsed.success ? parsed.output : undefined;
}

/** [V6] The cast that the cast of an item belongs to, told by its id: `<cast>_<fork>_WI-n`, and `_<attempt>` behind. */
export function parentCastId(castId: CastId): CastId | undefined {
  const parent = /^(.+)_[1-9]\d*_WI-[1-9]\d*(?:_[1-9]\d*)?$/.exec(castId)?.[1];
  return parent === undefined ? undefined : parseCastId(parent);
}

/** Which fork of its parent the cast of an item belongs to. */
export function parallelRunNumber(castId: CastId): string | undefined {
  return /_([1-9]\d*)_WI-[1-9]\d*(?:_[1-9]\d*)?$/.exec(castId)?.[1];
}

/** [V37] `WI-2`, and `WI-2.2` where it was done again: how rehearsals call the item that a cast is for. */
export function itemKeyOfCast(castId: string): string | undefined {
  const [, item, attempt] = /_(WI-[1-9]\d*)(?:_([1-9]\d*))?$/.exec(castId) ?? [];
  return item === undefined ? undefined : `${item}${attempt === undefined ? "" : `.${attempt}`}`;
}

/** [V17] The name that keeps the work of an item from being swept away, until it is on the person's branch. */
export function itemGitRef(castId: string, name: string): string {
  return `refs/materia-items/${castId}/${name}`;
}

/** Names of materia and loadouts may hold spaces, but nothing that breaks a listing or an object. */
export function isValidName(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= 100 &&
    text.trim() === text &&
    text.isWellFormed() &&
    !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text) &&
    text !== "__proto__"
  );
}

/** The names under which ways are drawn, marked and found again. Nobody takes one apart: whoever needs its parts makes it and compares. */
export function edgeWayId(from: string, index: number): string {
  return `edge:${from}:${index + 1}`;
}

/** Where an edge leads once it is used up. */
export function thenWayId(from: string, index: number): string {
  return `then:${from}:${index + 1}`;
}

/** A route of a loop; its form is fixed by the graph semantics. */
export function exitWayId(loop: string, exit: string): string {
  return `loop-exit:${loop}:${exit}`;
}

/** The end that a socket reaches where nothing matches. */
export function implicitEndWayId(from: string): string {
  return `end:${from}`;
}

/** The end behind the last item, where no exit says otherwise. */
export function loopEndWayId(loop: string, from: string): string {
  return `loop-end:${loop}:${from}`;
}

/** The way past a loop that has nothing to walk. */
export function emptyListWayId(loop: string): string {
  return `loop-empty:${loop}`;
}
