import { join } from "node:path";
import { expect, it } from "vitest";
import { BUNDLED_AGENTS } from "../../src/core/catalog/bundled-agents.ts";
import { castFacts } from "../../src/core/history/facts.ts";
import { materiaStats } from "../../src/core/history/forecast.ts";
import { replayCast } from "../../src/core/replay/replay.ts";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { cast } from "../harness/cast.ts";
import { startOf } from "../harness/play.ts";
import { always, graph, notSatisfied, said, satisfied, seat } from "../harness/seats.ts";

const YES = JSON.stringify({ satisfied: true });
const called = (text: string): TurnOutcome => ({ ...said(text), byTool: true }) as TurnOutcome;

function judged(handoff: "text" | "tool" | "auto" | undefined) {
  return graph(
    {
      "Socket-1": seat("Build", always("Socket-2")),
      "Socket-2": seat("Judge", satisfied("end"), notSatisfied("Socket-1")),
    },
    { materia: { Judge: { ...BUNDLED_AGENTS["Auto-Eval"], ...(handoff ? { handoff } : {}) } } },
  );
}

async function castWith(handoff: Parameters<typeof judged>[0], ...answers: readonly TurnOutcome[]) {
  const asked: TurnRequest[] = [];
  const run = await cast(
    judged(handoff),
    [said("built"), ...answers].map((answer) => (request: TurnRequest) => {
      asked.push(request);
      return answer;
    }),
  );
  const found = run.events.flatMap((event) =>
    event.type === "handoff_accepted"
      ? [event.found]
      : event.type === "handoff_rejected"
        ? [`${event.byTool ? "tool" : "text"}: ${event.issues.join("; ")}`]
        : [],
  );
  return { asked, found, events: run.events, state: run.state };
}

it.each<[rule: string, mode: Parameters<typeof judged>[0], answers: readonly TurnOutcome[], found: readonly string[]]>([
  ["[H25] auto takes a call", "auto", [called(YES)], ["tool"]],
  ["[H24] auto takes text", "auto", [said(YES)], ["exact"]],
  [
    "[H24] tool refuses text and takes the call that follows",
    "tool",
    [said(YES), called(YES)],
    ["text: the result was given as text, not by a call of hand_over", "tool"],
  ],
  [
    "[H25] wrong types are refused like those of a text; then a text is taken",
    "auto",
    [called('{"satisfied":"perhaps"}'), said(YES)],
    ['tool: "satisfied" must be true or false, not the string "perhaps"', "exact"],
  ],
  [
    "[H21, H25] a refusal by call needs its reason",
    "auto",
    [called('{"satisfied":false}'), called(YES)],
    ['tool: "satisfied" is false without a reason: say in "context" what must change and why', "tool"],
  ],
])("%s", async (_rule, mode, answers, found) => {
  expect((await castWith(mode, ...answers)).found).toEqual(found);
});

it("[H11, H25] refused calls are limited like refused texts", async () => {
  const { events } = await castWith("auto", called("{}"), called("{}"));
  expect(events.at(-1)).toMatchObject({ type: "cast_ended", outcome: "failed" });
});

it("[H24] only agents that need a handoff and ask for it are offered the tool", async () => {
  const offered = async (mode: Parameters<typeof judged>[0]) =>
    (await castWith(mode, called(YES))).asked.map(({ handOver }) => handOver !== undefined);
  expect(await offered("auto")).toEqual([false, true]);
  expect(await offered("tool")).toEqual([false, true]);
  expect(await offered("text")).toEqual([false, false]);
  expect(await offered(undefined)).toEqual([false, false]);
});

it.each(["tool", "auto"] as const)("[H10, H24, P3] the request with handoff %s is as reviewed", async (mode) => {
  const { asked } = await castWith(mode, called('{"satisfied":7}'), called(YES));
  const [, first, again] = asked;
  const text = [
    `# System\n\n${first?.system}`,
    `# The tool hand_over\n\n${JSON.stringify(first?.handOver, null, 2)}`,
    `# First message\n\n${first?.prompt}`,
    `# Message of a repair turn\n\n${again?.prompt}`,
  ];
  await expect(`${text.join("\n\n")}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, "requests", `handoff-${mode}.md`),
  );
});

it("[T22, H25] stats count refused calls apart, and a replay takes the recorded way", async () => {
  const { events } = await castWith("tool", said(YES), called("{}"), called(YES));
  expect(events.at(-1)).toMatchObject({ outcome: "failed" });
  const run = await castWith("auto", called("{}"), called(YES));
  const start = startOf(judged("auto"));
  const [row] = materiaStats([castFacts({ graph: start.graph, model: null }, run.events)]).filter(
    ({ materia }) => materia === "Judge",
  );
  expect(row).toMatchObject({ rejected: 1, rejectedByTool: 1 });
  const { after } = replayCast({ start, events: run.events }, startOf(judged("tool")));
  expect(after.state.phase).toMatchObject({ kind: "ended", outcome: "completed" });
});
