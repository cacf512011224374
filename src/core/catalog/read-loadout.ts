import * as v from "valibot";
import { SocketId, isCanonicalSocketId, Destination, END } from "../model/ids.ts";
import { error, warning, type Issue } from "../model/issue.ts";
import { Loadout, Socket, AdvanceRule, Condition, Edge, Exit, Loop } from "../model/loadout.ts";
import { isJsonObject, PROTOTYPE_KEYS, withoutUndefined } from "../model/json.ts";
import { oneLine } from "../model/text.ts";
import { nameIssues, validate } from "./validate.ts";
import { AssignMap, ParseMode } from "../model/materia.ts";

export function readLoadout(name: string, raw: unknown) {
  const keys = ["loadouts", name];
  const whole = validate(Loadout, raw, keys);
  const read = whole.issues.some(isLayoutIssue) ? withoutLayout(raw, keys, whole.issues) : whole;
  const keysOf = (section: string) => entriesOrNone(isJsonObject(raw) ? raw[section] : undefined).map(([id]) => id);
  const oddSockets = keysOf("sockets").filter((id) => !isCanonicalSocketId(id));
  const oddLoops = keysOf("loops").filter((id) => !LOOP_ID.test(id));
  const ids = [...oddSockets.map((id) => socketIdIssue(id, keys)), ...oddLoops.map((id) => loopIdIssue(id, keys))];
  const missed = readSocketsMissedByRecord(raw, keys);
  const value =
    read.value && missed.sockets.length > 0
      ? { ...read.value, sockets: { ...read.value.sockets, ...Object.fromEntries(missed.sockets) } }
      : (read.value ?? salvageLoadout(raw));
  return { name, value, issues: [...nameIssues(name, keys), ...read.issues, ...missed.issues, ...ids] };
}

/** A socket may be called `constructor`. A valibot record drops it, so it is read separately. */
function readSocketsMissedByRecord(raw: unknown, keys: readonly string[]) {
  const dropped = entriesOrNone(isJsonObject(raw) ? raw["sockets"] : undefined)
    .filter(([id]) => PROTOTYPE_KEYS.includes(id) && v.is(SocketId, id))
    .map(([id, socket]) => ({ id, ...validate(Socket, socket, [...keys, "sockets", id]) }));
  return {
    sockets: dropped.flatMap(({ id, value }): [string, Socket][] => (value ? [[id, value]] : [])),
    issues: dropped.flatMap(({ issues }) => issues),
  };
}

function isLayoutIssue({ path }: Issue): boolean {
  return path[2] === "layout";
}

/** [M3] An invalid layout is only a warning: the graph is laid out again. */
function withoutLayout(raw: unknown, keys: readonly string[], issues: readonly Issue[]) {
  const { layout: _layout, ...graph } = isJsonObject(raw) ? raw : {};
  const drawn = warning("bad_layout", [...keys, "layout"], "the layout is invalid, so the graph is laid out again");
  return {
    value: validate(Loadout, graph, keys).value,
    issues: [...issues.filter((each) => !isLayoutIssue(each)), drawn],
  };
}

const LOOP_ID = /^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

function loopIdIssue(id: string, keys: readonly string[]): Issue {
  const message = `"${oneLine(id, 60)}" is not a loop id`;
  return error("bad_loop_id", [...keys, "loops", id], message, "use letters, digits, - and _");
}

function socketIdIssue(id: string, keys: readonly string[]): Issue {
  const path = [...keys, "sockets", id];
  if (!v.is(SocketId, id))
    return error("bad_socket_id", path, `"${oneLine(id, 60)}" is not a socket id`, "use Socket-1, Socket-2, …");
  const message = `"${id}" is not of the form Socket-N`;
  return warning("nonstandard_socket_id", path, message, "tools generate only Socket-1, Socket-2, …");
}

/** The drawable part of an invalid loadout, so that its problems have a position. */
function salvageLoadout(raw: unknown): Loadout | undefined {
  if (!isJsonObject(raw)) return undefined;
  const named = entriesOrNone(raw["sockets"]).filter(([id]) => v.is(SocketId, id));
  const sockets = salvageEntries(named, salvageSocket);
  const [first = "Socket-1"] = Object.keys(sockets);
  return {
    entry: parseOrUndefined(SocketId, raw["entry"]) ?? v.parse(SocketId, first),
    layout: {},
    sockets,
    loops: salvageEntries(entriesOrNone(raw["loops"]), salvageLoop),
  };
}

function salvageEntries<T>(entries: readonly [string, unknown][], salvage: (value: unknown) => T | undefined) {
  const read = entries.map(([id, value]) => ({ id, part: salvage(value) }));
  return Object.fromEntries(read.flatMap(({ id, part }): [string, T][] => (part === undefined ? [] : [[id, part]])));
}

function salvageSocket(value: unknown): Socket | undefined {
  const whole = parseOrUndefined(Socket, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const { materia } = value;
  return {
    materia: typeof materia === "string" ? materia : "",
    ...withoutUndefined({
      parse: parseOrUndefined(ParseMode, value["parse"]),
      assign: parseOrUndefined(AssignMap, value["assign"]),
      advance: parseOrUndefined(AdvanceRule, value["advance"]),
    }),
    edges: listOrNone(value["edges"]).map((edge) => parseOrUndefined(Edge, edge) ?? salvageEdge(edge)),
  };
}

/** An edge with an invalid limit or condition keeps its target; one without a target keeps its place. */
function salvageEdge(value: unknown): Edge {
  const { when, to } = isJsonObject(value) ? value : {};
  return { when: parseOrUndefined(Condition, when) ?? "always", to: parseOrUndefined(Destination, to) ?? END };
}

function salvageLoop(value: unknown): Loop | undefined {
  const whole = parseOrUndefined(Loop, value);
  if (whole) return whole;
  if (!isJsonObject(value)) return undefined;
  const sockets = listOrNone(value["sockets"]).flatMap((id) => parseOrUndefined(SocketId, id) ?? []);
  if (sockets.length === 0) return undefined;
  return {
    sockets,
    ...withoutUndefined({ consumes: parseOrUndefined(Loop.entries.consumes, value["consumes"]) }),
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
