import * as v from "valibot";
import { Destination, END, SocketId } from "../model/ids.ts";
import { isJsonObject } from "../model/values/json.ts";
import { AdvanceRule, Condition, Edge, Exit, Loop, Socket, type Loadout } from "../model/loadout.ts";
import { AssignMap, ParseMode } from "../model/materia.ts";

/** What can be drawn of a broken loadout, so that its problems have a place to stand at. */
export function salvageLoadout(raw: unknown): Loadout | undefined {
  if (!isJsonObject(raw)) return undefined;
  const sockets = entriesOrNone(raw["sockets"]).flatMap(([id, value]): [string, Socket][] => {
    const socket = v.is(SocketId, id) ? salvageSocket(value) : undefined;
    return socket ? [[id, socket]] : [];
  });
  const loops = entriesOrNone(raw["loops"]).flatMap(([id, value]): [string, Loop][] => {
    const loop = salvageLoop(value);
    return loop ? [[id, loop]] : [];
  });
  const [first] = sockets.map(([id]) => v.parse(SocketId, id));
  return {
    entry: parseOrUndefined(SocketId, raw["entry"]) ?? first ?? v.parse(SocketId, "Socket-1"),
    layout: {},
    sockets: Object.fromEntries(sockets),
    loops: Object.fromEntries(loops),
  };
}

function salvageSocket(value: unknown): Socket | undefined {
  const whole = parseOrUndefined(Socket, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const { materia } = value;
  const [parse, assign, advance] = [
    parseOrUndefined(ParseMode, value["parse"]),
    parseOrUndefined(AssignMap, value["assign"]),
    parseOrUndefined(AdvanceRule, value["advance"]),
  ];
  return {
    materia: typeof materia === "string" ? materia : "",
    ...(parse ? { parse } : {}),
    ...(assign ? { assign } : {}),
    ...(advance ? { advance } : {}),
    edges: listOrNone(value["edges"]).map((edge) => parseOrUndefined(Edge, edge) ?? salvageEdge(edge)),
  };
}

/** An edge whose limit or condition is wrong still leads somewhere; one that leads nowhere keeps its place. */
function salvageEdge(value: unknown): Edge {
  const { when, to } = isJsonObject(value) ? value : {};
  return { when: parseOrUndefined(Condition, when) ?? "always", to: parseOrUndefined(Destination, to) ?? END };
}

function salvageLoop(value: unknown): Loop | undefined {
  const whole = parseOrUndefined(Loop, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const sockets = listOrNone(value["sockets"]).flatMap((id) => parseOrUndefined(SocketId, id) ?? []);
  const consumes = parseOrUndefined(Loop.entries.consumes, value["consumes"]);
  if (sockets.length === 0) return undefined;
  return {
    sockets,
    ...(consumes ? { consumes } : {}),
    exits: listOrNone(value["exits"]).flatMap((exit) => parseOrUndefined(Exit, exit) ?? []),
  };
}

function parseOrUndefined<const T extends v.GenericSchema>(schema: T, value: unknown): v.InferOutput<T> | undefined {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
}

function entriesOrNone(value: unknown): readonly [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function listOrNone(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
