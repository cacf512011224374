import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import { listProcesses } from "../../../src/shell/process/processes.ts";
import { VISITS, castIn, eventsIn, filesBelow, type ChaosPlace } from "./place.ts";

/** One process that drove the cast. */
export interface Life {
  readonly number: number;
  readonly fault: string;
  readonly code: number | null;
  readonly problems: readonly string[];
  /** Whether it was refused as the cast of somebody else. */
  readonly isForeign: boolean;
}

/** [D26] Nothing lost, nothing doubled, nothing leaked, nothing stuck. */
export function lawProblems(place: ChaosPlace, lives: readonly Life[]): readonly string[] {
  const castId = castIn(place);
  if (castId === undefined) return [`after ${lives.length} lives there is no cast`];
  const events = eventsIn(join(place.root, castId, "journal.jsonl"));
  return [
    ...endProblems(events, lives),
    ...orderProblems(events),
    ...visitProblems(events),
    ...workProblems(place, events),
    ...leakProblems(place),
  ];
}

function endProblems(events: readonly CastEvent[], lives: readonly Life[]): readonly string[] {
  const last = events.at(-1);
  const isDone = last?.type === "cast_ended" && last.outcome === "completed";
  return [
    ...(isDone ? [] : [`stuck: after ${lives.length} lives the last event is ${JSON.stringify(last)}`]),
    // One that is killed behind its last event has nothing more to lose.
    ...(lives.at(-1)?.fault !== "none" || lives.at(-1)?.code === 0
      ? []
      : [`the last life exited with ${lives.at(-1)?.code}`]),
  ];
}

function orderProblems(events: readonly CastEvent[]): readonly string[] {
  const wrong = events.findIndex((event, index) => event.seq !== index + 1);
  return wrong === -1 ? [] : [`lost or doubled: line ${wrong + 1} has the seq ${events[wrong]?.seq}`];
}

/** Each visit is completed once, in the order of an undisturbed cast. */
function visitProblems(events: readonly CastEvent[]): readonly string[] {
  const begun = new Map<string, string>();
  const completed: string[] = [];
  for (const event of events) {
    if (event.type === "visit_started") begun.set(`${event.socket} ${event.visit}`, event.item?.key ?? "-");
    if (event.type === "visit_completed")
      completed.push(`${event.socket} ${begun.get(`${event.socket} ${event.visit}`) ?? "?"}`);
  }
  return completed.join() === VISITS.join() ? [] : [`visits were completed as ${completed.join(", ")}`];
}

/** What ran, by the programs' own word: everything did, and nothing once its completion was written. */
function workProblems({ cwd }: ChaosPlace, events: readonly CastEvent[]): readonly string[] {
  const ran = readFileSync(join(cwd, "work.log"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));
  const missing = VISITS.filter((visit) => !ran.some(([, socket, key]) => `${socket} ${key}` === visit));
  const most = 1 + events.filter(({ type }) => type === "cast_resumed").length;
  const doubled = VISITS.filter((visit) => ran.filter(([, socket, key]) => `${socket} ${key}` === visit).length > most);
  const order = ran.map(([, socket, key]) => VISITS.indexOf(`${socket} ${key}`));
  const back = order.findIndex((place, index) => place < (order[index - 1] ?? 0));
  const alive = new Set(listProcesses().map(({ pid }) => pid));
  const left = ran.filter(([, , , pid]) => alive.has(Number(pid)) && isOurs(Number(pid)));
  return [
    ...(missing.length === 0 ? [] : [`lost: ${missing.join(", ")} never ran`]),
    ...(doubled.length === 0 ? [] : [`doubled: ${doubled.join(", ")} ran more often than the cast was taken up`]),
    ...(back === -1 ? [] : [`doubled: ${ran[back]?.join(" ")} ran after a later visit had`]),
    ...(left.length === 0 ? [] : [`left running: ${left.map((words) => words.join(" ")).join(", ")}`]),
  ];
}

/** Its number may belong to somebody else by now. */
function isOurs(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("run.mjs");
  } catch {
    return false;
  }
}

function leakProblems({ top, secret }: ChaosPlace): readonly string[] {
  const spellings = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")];
  return filesBelow(top)
    .filter((file) => spellings.some((spelling) => readFileSync(file).includes(spelling)))
    .map((file) => `leaked: the secret stands in ${file.slice(top.length)}`);
}
