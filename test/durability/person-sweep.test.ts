import { join } from "node:path";
import { expect, it } from "vitest";
import { askedPersonMateria } from "../../src/core/cast/prompt-text.ts";
import { newPlace } from "../harness/cli.ts";
import { begin, goOn, onlyCast, subject, type Kill, type Life, type Subject } from "../harness/killed.ts";
import { eventsOf, traceCast, type CastTrace } from "../harness/cast-trace.ts";
import type { Resumption } from "../../src/shell/casting/resume-cast.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const items = ["a", "b"].map((title) => ({ title, context: "" }));
const edges = (yes: string, no: string) => [
  { when: "satisfied", to: yes },
  { when: "not_satisfied", to: no, maxTraversals: 2 },
];
/** A person judges each item, and the whole at the end. */
const conf = {
  activeLoadout: "Judged",
  materia: {
    Plan: { prompt: "Plan.", generator: true },
    Make: { prompt: "Make." },
    Say: { type: "person", question: "Is “{{item.title}}” good enough?", assign: { verdict: "$.context" } },
  },
  loadouts: {
    Judged: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Make", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": { materia: "Say", advance: { when: "satisfied" }, edges: edges("Socket-2", "Socket-2") },
        "Socket-4": { materia: "Approve" },
      },
      loops: {
        each: {
          sockets: ["Socket-2", "Socket-3"],
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [{ id: "done", from: "Socket-3", condition: "always", targetSocketId: "Socket-4" }],
        },
      },
    },
  },
};
const replies = { Plan: [{ json: { workItems: items } }], Make: [1, 2, 3].map((at) => ({ text: `made ${at}` })) };
const ANSWERS: readonly Resumption[] = [
  { kind: "reject", text: "no test" },
  { kind: "finish" },
  { kind: "answer", text: "well done" },
  { kind: "finish" },
];

function judged(): Subject {
  const cwd = newPlace({ "conf.json": conf, "replies.json": { replies } });
  return subject(cwd, "replies.json", join(cwd, "conf.json"));
}

/** What a person does about a cast that stands still: answers where it waits, sets it going where it does not. */
async function attend(one: Subject, kill?: Kill): Promise<Life> {
  const { workspace } = one;
  const cast = await workspace.store.load(onlyCast(workspace));
  if (!cast.ok) throw new Error("it can be read");
  const said = eventsOf(join(workspace.root, onlyCast(workspace))).filter(
    ({ type }) => type === "person_judged",
  ).length;
  return goOn(one, kill, askedPersonMateria(cast.value.state) ? ANSWERS[said] : undefined);
}

interface Course {
  readonly told: CastTrace;
  readonly asked: readonly string[];
  /** How many appends each life had. */
  readonly lives: readonly number[];
}

/** Until it ends; the process of that number is killed, later ones are not. */
async function course(life?: number, kill?: Kill): Promise<Course> {
  const one = judged();
  let now = await begin(one, life === 0 ? kill : undefined);
  const [asked, lives] = [[...now.asked], [now.appends]];
  while (now.end?.kind !== "ended") {
    now = await attend(one, life === lives.length ? kill : undefined);
    asked.push(...now.asked);
    lives.push(now.appends);
  }
  return { told: traceCast(one, now), asked, lives };
}

it(
  "[D1, D19] a cast that waits for a person, killed at every append and answered elsewhere, ends as if nothing had happened",
  SWEEP,
  async () => {
    const calm = await course();
    expect(calm.lives).toHaveLength(1 + ANSWERS.length);
    const kills = calm.lives.flatMap((appends, life) =>
      Array.from({ length: appends }, (_, index) =>
        (["after", "half", "hardly"] as const).map((where) => ({ life, kill: { append: index + 1, where } })),
      ).flat(),
    );
    for (const { life, kill } of sampleCases(kills, 4)) {
      const at = `life ${life}, killed ${kill.where} append ${kill.append}`;
      const { told: left, asked } = await course(life, kill);
      expect({ at, told: left, asked }).toEqual({ at, told: calm.told, asked: calm.asked });
    }
  },
);
