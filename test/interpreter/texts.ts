/** What a user writes and what a cast is made of, as plain data. Nothing here, and nothing beside it that this
 * interpreter consists of, comes from the engine: it is a second statement of `docs/spec`. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
export type When = "always" | "satisfied" | "not_satisfied";
/** What a handoff says about `satisfied`. */
export type Answer = boolean | undefined;
export const END = "end";

export interface MateriaText {
  readonly type?: "agent" | "utility" | "person";
  readonly prompt?: string;
  readonly question?: string;
  readonly parse?: "json" | "text";
  readonly generator?: boolean;
  readonly interactive?: boolean;
  readonly conversation?: "fresh" | "item";
  readonly gate?: boolean;
  /** Only tools that write. */
  readonly tools?: "coding";
  readonly command?: readonly string[];
  readonly assign?: Readonly<Record<string, string>>;
}

export interface EdgeText {
  readonly when: When;
  readonly to: string;
  readonly maxTraversals?: number;
  readonly then?: string;
}

export interface SocketText {
  readonly materia: string;
  readonly parse?: "json" | "text";
  readonly conversation?: "fresh" | "item";
  readonly assign?: Readonly<Record<string, string>>;
  readonly advance?: { readonly when?: When; readonly items?: string };
  readonly edges?: readonly EdgeText[];
}

export interface ExitText {
  readonly id: string;
  readonly from: string;
  readonly condition: When;
  readonly targetSocketId: string;
}

export interface LoopText {
  readonly sockets: readonly string[];
  readonly consumes?: { readonly from: string; readonly output: string };
  readonly exits?: readonly ExitText[];
  readonly parallel?: number;
}

export interface LoadoutText {
  readonly entry: string;
  readonly sockets: Readonly<Record<string, SocketText>>;
  readonly loops?: Readonly<Record<string, LoopText>>;
}

export interface Texts {
  readonly materia: Readonly<Record<string, MateriaText>>;
  readonly loadouts: Readonly<Record<string, LoadoutText>>;
  readonly limits: {
    readonly maxNoAdvanceCycles: number;
    readonly maxRepairs: number;
    readonly maxConflicts?: number;
    readonly maxUnchanged?: number;
  };
  readonly budget: { readonly maxTokens?: number };
}

/** A socket of the composed graph. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly materia: MateriaText;
  /** The target it comes from, from 1. */
  readonly part: number;
  readonly parse: "json" | "text";
  readonly assign: readonly (readonly [target: string, source: string])[];
  readonly advance?: When;
  readonly edges: readonly EdgeText[];
  readonly loop?: string;
  /** Where it goes when nothing else is said: `end`, or the next part. */
  readonly onward: string;
  /** [I1] Whether its conversations go on when work was sent back. */
  readonly talksOn: boolean;
  /** [V3] Whether the items of its list may say what they build on. */
  readonly ordered: boolean;
}

/** A loop of the composed graph. */
export interface Region {
  readonly id: string;
  readonly members: readonly string[];
  /** The list that it walks, as a path of state; none for a region that walks nothing. */
  readonly list?: readonly string[];
  /** Who makes it, where the loop says so. */
  readonly from?: string;
  readonly exits: readonly ExitText[];
  /** Where an empty list leads that no exit takes. */
  readonly onward: string;
  /** How many items are worked on at once; none where they never are. */
  readonly lanes?: number;
}

export interface Graph {
  readonly entry: string;
  readonly places: ReadonlyMap<string, Place>;
  readonly regions: ReadonlyMap<string, Region>;
}

/** [G2, G3] Absent is not false. */
export function matches(when: When, answer: Answer): boolean {
  return when === "always" || (answer !== undefined && answer === (when === "satisfied"));
}

/** [G11] Parse mode of a socket. [Q3] What a gate or a person says is always a handoff. */
export function parseOf(socket: SocketText, materia: MateriaText): "json" | "text" {
  return socket.parse ?? materia.parse ?? (materia.generator || judges(materia) ? "json" : "text");
}

/** Whether it answers without a model: a command by its exit code, or a person. */
export function judges(materia: MateriaText): boolean {
  return materia.type === "person" || materia.gate === true;
}

/** [O12] The list that a loop walks: what it consumes, or what the first advance that names one names, or none at all. */
export function listOf(loop: LoopText, sockets: Readonly<Record<string, SocketText>>): string | undefined {
  const advances = loop.sockets.flatMap((id) => sockets[id]?.advance ?? []);
  if (loop.consumes) return "workItems";
  const named = advances.find(({ items }) => items !== undefined)?.items ?? "state.workItems";
  return advances.length === 0 ? undefined : named.replace(/^state\./, "");
}

export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
  return valueAt((value as JsonObject)[key], rest); // a list is indexed by its numbers
}
