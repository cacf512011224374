import type { Json, JsonObject } from "../../model/values/json.ts";
import type { Exit, Loadout, Loop, Socket } from "../../model/loadout.ts";

/** A loadout as a person would write it: what says nothing is left out, keys in reading order. */
export function loadoutToJson(loadout: Loadout): JsonObject {
  const { description, entry, sockets, loops, layout } = loadout;
  return withoutUndefined({
    description,
    entry,
    sockets: Object.fromEntries(Object.entries(sockets).map(([id, socket]) => [id, socketToJson(socket)])),
    loops: unlessEmpty(Object.fromEntries(Object.entries(loops).map(([id, loop]) => [id, loopToJson(loop)]))),
    layout: unlessEmpty(layout),
  });
}

export function socketToJson({ materia, parse, assign, advance, edges }: Socket): JsonObject {
  return withoutUndefined({
    materia,
    parse,
    assign: assign && unlessEmpty(assign),
    advance: advance && withoutUndefined({ cursor: advance.cursor, items: advance.items, when: advance.when }),
    edges:
      edges.length === 0
        ? undefined
        : edges.map(({ when, to, maxTraversals, then }) => withoutUndefined({ when, to, maxTraversals, then })),
  });
}

function loopToJson({ label, sockets, consumes, exits }: Loop): JsonObject {
  return withoutUndefined({
    label,
    sockets: [...sockets],
    consumes: consumes && { from: consumes.from, output: consumes.output },
    exits: exits.length === 0 ? undefined : exits.map(exitToJson),
  });
}

function exitToJson({ id, from, condition, targetSocketId }: Exit): JsonObject {
  return { id, from, condition, targetSocketId };
}

function withoutUndefined(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])),
  );
}

function unlessEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}
