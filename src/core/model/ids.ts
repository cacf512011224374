import * as v from "valibot";

/** [G14] Other identifiers than `Socket-N` load with a warning. `end` ends the cast and is never a socket. */
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

/** The usual order in a file: `Socket-1`, `Socket-2`, … */
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

/** [V6] The cast that an item's cast belongs to, from its id: `<cast>_<fork>_WI-n` with an optional `_<attempt>`. */
export function parentCastId(castId: CastId): CastId | undefined {
  const parent = /^(.+)_[1-9]\d*_WI-[1-9]\d*(?:_[1-9]\d*)?$/.exec(castId)?.[1];
  return parent === undefined ? undefined : parseCastId(parent);
}

export function parallelRunNumber(castId: CastId): string | undefined {
  return /_([1-9]\d*)_WI-[1-9]\d*(?:_[1-9]\d*)?$/.exec(castId)?.[1];
}

/** [V37] `WI-2`, or `WI-2.2` for a second attempt: the name of the item in rehearsals. */
export function itemKeyOfCast(castId: string): string | undefined {
  const [, item, attempt] = /_(WI-[1-9]\d*)(?:_([1-9]\d*))?$/.exec(castId) ?? [];
  return item === undefined ? undefined : `${item}${attempt === undefined ? "" : `.${attempt}`}`;
}

/** [V17] A git ref that protects the work of an item from garbage collection until it is merged. */
export function itemGitRef(castId: string, name: string): string {
  return `refs/materia-items/${castId}/${name}`;
}

export function castBranch(castId: string): string {
  return `materia/${castId}`;
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

/** Ids of ways. Code compares whole ids and never parses one. */
export function edgeWayId(from: string, index: number): string {
  return `edge:${from}:${index + 1}`;
}

export function thenWayId(from: string, index: number): string {
  return `then:${from}:${index + 1}`;
}

/** The graph semantics fix the form of this id. */
export function exitWayId(loop: string, exit: string): string {
  return `loop-exit:${loop}:${exit}`;
}

/** The end of a socket where no edge matches. */
export function implicitEndWayId(from: string): string {
  return `end:${from}`;
}

/** The end after the last item, where no exit matches. */
export function loopEndWayId(loop: string, from: string): string {
  return `loop-end:${loop}:${from}`;
}

export function emptyListWayId(loop: string): string {
  return `loop-empty:${loop}`;
}
