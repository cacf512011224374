import { expect, it } from "vitest";
import { socketOf } from "../../src/core/compile/graph.ts";
import { findObject } from "../../src/core/handoff/find-object.ts";
import { readHandoff } from "../../src/core/handoff/read-handoff.ts";
import { compiled } from "../harness/play.ts";
import { graph, seat, socket } from "../harness/seats.ts";

const made = compiled(graph({ "Socket-1": seat("Plan") })).graph;

function read(handoff: unknown) {
  const around = { data: {}, item: null };
  return readHandoff(made, socketOf(made, socket("Socket-1")), JSON.stringify(handoff), around);
}

function problemsOf(handoff: unknown): readonly string[] {
  const reading = read(handoff);
  return reading.ok ? [] : reading.problems;
}

it.each<[value: unknown, words: string]>([
  [null, "null"],
  [[], "an array"],
  [{}, "an object"],
  ["yes", 'the string "yes"'],
  [1, "the number 1"],
])("[H8] %j in the place of a boolean is named as what it is", (satisfied, words) => {
  expect(problemsOf({ workItems: [], satisfied })).toEqual([`"satisfied" must be true or false, not ${words}`]);
});

it.each<[count: number, named: number, more: string]>([
  [1, 1, ""],
  [5, 5, ""],
  [7, 5, " and 2 more"],
])("[H8] of %i bad items the first %i are named", (count, named, more) => {
  const names = Array.from({ length: named }, (_, index) => `workItems[${index}]`).join(", ");
  expect(problemsOf({ workItems: Array.from({ length: count }, () => "no item") })).toEqual([
    `${names}${more} must have a "title" string and a "context" string`,
  ]);
});

it("[H5] of the unknown keys of items twenty are listed, however many there are", () => {
  const odd = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, index]));
  const reading = read({ workItems: [{ title: "a", context: "", ...odd }] });
  expect(reading.ok && [reading.handoff, reading.dropped.length]).toEqual([
    { workItems: [{ title: "a", context: "" }] },
    20,
  ]);
});

it("[H8] a reply of blanks is empty, not without an object", () => {
  const reading = readHandoff(made, socketOf(made, socket("Socket-1")), " \n\t", { data: {}, item: null });
  expect(reading.ok ? [] : reading.problems).toEqual(["the reply is empty; it must be one JSON object"]);
});

it.each<[rule: string, reply: string, found: string | undefined]>([
  ["[H1] a fence with words behind it closes nothing", '```\n{"satisfied":true}\n```x\n```', "embedded"],
  ["[H1] a fence of the other kind closes nothing", '```\n{"satisfied":true}\n~~~\n```', "embedded"],
  ["[H1] blanks behind a closing fence are nothing", '```\n{"satisfied":true}\n```  \nBye.', "fenced"],
  ["[H1] a byte order mark in the middle is a part of the text", 'x\ufeff\n```\n{"satisfied":true}\n```', "fenced"],
])("%s", (_rule, reply, found) => {
  expect(findObject(reply)?.found).toBe(found);
});
