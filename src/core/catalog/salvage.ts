import * as v from "valibot";
import { Destination, END, SocketId } from "../model/ids.ts";
import { isJsonObject } from "../model/values/json.ts";
import { Advance, Condition, Edge, Exit, Loop, Socket, type Loadout } from "../model/loadout.ts";
import { Assign, ParseMode } from "../model/materia.ts";

/** What can be drawn of a broken loadout, so that its problems have a place to stand at. */
export function salvageLoadout(raw: unknown): Loadout | undefined {
  if (!isJsonObject(raw)) return undefined;
  const sockets = entriesOf(raw["sockets"]).flatMap(([id, value]): [string, Socket][] => {
    const socket = v.is(SocketId, id) ? salvagedSocket(value) : undefined;
    return socket ? [[id, socket]] : [];
  });
  const loops = entriesOf(raw["loops"]).flatMap(([id, value]): [string, Loop][] => {
    const loop = salvagedLoop(value);
    return loop ? [[id, loop]] : [];
  });
  const [first] = sockets.map(([id]) => v.parse(SocketId, id));
  return {
    entry: part(SocketId, raw["entry"]) ?? first ?? v.parse(SocketId, "Socket-1"),
    layout: {},
    sockets: Object.fromEntries(sockets),
    loops: Object.fromEntries(loops),
  };
}

function salvagedSocket(value: unknown): Socket | undefined {
  const whole = part(Socket, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const { materia } = value;
  const [parse, assign, advance] = [
    part(ParseMode, value["parse"]),
    part(Assign, value["assign"]),
    part(Advance, value["advance"]),
  ];
  return {
    materia: typeof materia === "string" ? materia : "",
    ...(parse ? { parse } : {}),
    ...(assign ? { assign } : {}),
    ...(advance ? { advance } : {}),
    edges: listOf(value["edges"]).map((edge) => part(Edge, edge) ?? guessedEdge(edge)),
  };
}

/** An edge whose limit or condition is wrong still leads somewhere; one that leads nowhere keeps its place. */
function guessedEdge(value: unknown): Edge {
  const { when, to } = isJsonObject(value) ? value : {};
  return { when: part(Condition, when) ?? "always", to: part(Destination, to) ?? END };
}

function salvagedLoop(value: unknown): Loop | undefined {
  const whole = part(Loop, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const sockets = listOf(value["sockets"]).flatMap((id) => part(SocketId, id) ?? []);
  const consumes = part(Loop.entries.consumes, value["consumes"]);
  if (sockets.length === 0) return undefined;
  return {
    sockets,
    ...(consumes ? { consumes } : {}),
    exits: listOf(value["exits"]).flatMap((exit) => part(Exit, exit) ?? []),
  };
}

function part<const T extends v.GenericSchema>(schema: T, value: unknown): v.InferOutput<T> | undefined {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
