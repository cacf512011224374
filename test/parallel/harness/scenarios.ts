import type { TurnRequest } from "../../../src/shell/ports.ts";
import { chanceOf, type Chance } from "../../harness/random-graph.ts";
import { exit, graph, notSatisfied, satisfied, seat } from "../../harness/seats.ts";
import type { TestConfig } from "../../harness/play.ts";
import type { AgentAction, Scenario } from "./lives.ts";

/** Plan → per item, several at once: Build → Guard (no: the cast ends) → Eval (no: Build again, then the next) → Tell. */
export function parallelWorkshop(lanes: number, more: Parameters<typeof graph>[1] = {}): TestConfig {
  return graph(
    {
      "Socket-1": seat("Plan", { when: "always", to: "Socket-2" }),
      "Socket-2": { ...seat("Build", { when: "always", to: "Socket-3" }), assign: { last: "$" } },
      "Socket-3": { ...seat("Eval", satisfied("Socket-4"), { when: "not_satisfied", to: "end" }) },
      "Socket-4": {
        ...seat("Eval", { ...notSatisfied("Socket-2", 1), then: "next" }, satisfied("Socket-2")),
        advance: { when: "satisfied" },
        assign: { verdict: "$.context" },
      },
      "Socket-5": seat("Tell"),
    },
    {
      loops: {
        each: {
          sockets: ["Socket-2", "Socket-3", "Socket-4"],
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [exit("Socket-4", "always", "Socket-5")],
          parallel: lanes,
        },
      },
      ...more,
    },
  );
}

export const YES = JSON.stringify({ satisfied: true, context: "" });

/** What visits do beyond the usual, by `Socket-2@WI-1` or by socket. */
export type AgentActions = Readonly<Record<string, (request: TurnRequest) => AgentAction>>;

/** A list of these items, each builds a separate file, and no refusals; other behaviour is given. */
export function doing(workItems: readonly object[], deeds: AgentActions): Scenario["deed"] {
  return (request) => {
    const { socket, item } = request;
    const own = deeds[`${socket}@${item}`] ?? deeds[socket];
    if (own) return own(request);
    if (socket === "Socket-1") return { text: JSON.stringify({ workItems }), tokens: 10 };
    if (socket === "Socket-2") return { text: "built", edits: { [`${item}.txt`]: "built" }, tokens: 10 };
    return { text: socket === "Socket-5" ? "told" : YES, tokens: 10 };
  };
}

interface Draw {
  readonly items: readonly ItemDraw[];
}

interface ItemDraw {
  readonly file: string;
  readonly after: readonly number[];
  readonly refusals: number;
  readonly ends: boolean;
}

function drawOf(chance: Chance, shared: boolean): Draw {
  const count = chance.count(0, 6);
  const items = Array.from({ length: count }, (_, index): ItemDraw => ({
    file: shared && chance.happens(0.5) ? "shared.txt" : `file-${index + 1}.txt`,
    after: Array.from({ length: index }, (__, at) => at + 1).filter(() => chance.happens(0.2)),
    refusals: chance.pick(0, 0, 0, 1, 2),
    ends: chance.happens(0.06),
  }));
  return { items };
}

/** A cast of chance. The seed decides what is done, `pace` only who is quicker. */
export function randomScenario(
  seed: number,
  {
    lanes,
    pace,
    shared = false,
    oneByOne = false,
  }: { lanes: number; pace: number; shared?: boolean; oneByOne?: boolean },
): Scenario {
  const { items } = drawOf(chanceOf(seed), shared);
  const hurry = chanceOf(pace);
  const said = new Map<string, number>();
  const deed = (request: TurnRequest): AgentAction => {
    const { socket, item, castId, visit } = request;
    const [, number = "0", attempt = "1"] = /^WI-(\d+)(?:\.(\d+))?$/.exec(item ?? "") ?? [];
    const drawn = items[Number(number) - 1];
    const key = `${castId} ${socket} ${item}`;
    const times =
      said.get(`${key} ${visit}`) ?? new Set([...said.keys()].filter((each) => each.startsWith(`${key} `))).size + 1;
    said.set(`${key} ${visit}`, times);
    const patience = hurry.count(0, 6);
    if (socket === "Socket-1") {
      const workItems = items.map(({ after }, index) => ({ title: `t${index + 1}`, context: "c", after }));
      return { text: JSON.stringify({ workItems }), patience };
    }
    if (!drawn) return { text: "the end", patience };
    if (socket === "Socket-2")
      return { text: `built ${number}`, edits: { [drawn.file]: `by ${number} at ${times} in ${attempt}` }, patience };
    if (socket === "Socket-3")
      return { text: JSON.stringify({ satisfied: !drawn.ends, context: `guard ${number}` }), patience };
    const content = times > drawn.refusals;
    return { text: JSON.stringify({ satisfied: content, context: `eval ${number} ${times}` }), patience };
  };
  return { config: parallelWorkshop(lanes), files: { "shared.txt": "before" }, deed, oneByOne };
}
