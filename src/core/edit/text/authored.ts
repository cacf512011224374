import type { Json, JsonObject } from "../../model/values/json.ts";
import type { Exit, Loadout, Loop, Socket } from "../../model/loadout.ts";

/** A loadout as a person would write it: what says nothing is left out, keys in reading order. */
export function authoredLoadout(loadout: Loadout): JsonObject {
  const { description, entry, sockets, loops, layout } = loadout;
  return present({
    description,
    entry,
    sockets: Object.fromEntries(Object.entries(sockets).map(([id, socket]) => [id, authoredSocket(socket)])),
    loops: some(Object.fromEntries(Object.entries(loops).map(([id, loop]) => [id, authoredLoop(loop)]))),
    layout: some(layout),
  });
}

export function authoredSocket({ materia, parse, assign, advance, edges }: Socket): JsonObject {
  return present({
    materia,
    parse,
    assign: assign && some(assign),
    advance: advance && present({ cursor: advance.cursor, items: advance.items, when: advance.when }),
    edges:
      edges.length === 0
        ? undefined
        : edges.map(({ when, to, maxTraversals, then }) => present({ when, to, maxTraversals, then })),
  });
}

function authoredLoop({ label, sockets, consumes, exits }: Loop): JsonObject {
  return present({
    label,
    sockets: [...sockets],
    consumes: consumes && { from: consumes.from, output: consumes.output },
    exits: exits.length === 0 ? undefined : exits.map(authoredExit),
  });
}

function authoredExit({ id, from, condition, targetSocketId }: Exit): JsonObject {
  return { id, from, condition, targetSocketId };
}

function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])),
  );
}

function some(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}
