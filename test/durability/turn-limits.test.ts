import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import type { Resumption } from "../../src/shell/casting/resume-cast.ts";
import { cast } from "../harness/cast.ts";
import { newPlace } from "../harness/cli.ts";
import { begin, goOn, subject } from "../harness/killed.ts";
import { after, graph, seat } from "../harness/seats.ts";

/** Three requests of 40 tokens each; each of the first two adds a line to a file. */
const addLine = { name: "bash", arguments: { command: "echo line >> log.txt" } };
const THREE_REQUESTS = { tools: [addLine, addLine], text: "done", usage: { input: 90, output: 30 } };

function place(settings: object, materia: object = {}): ReturnType<typeof subject> {
  const config = {
    activeLoadout: "Main",
    ...settings,
    materia: { Tell: { prompt: "Tell.", tools: "coding", ...materia } },
    loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Tell" } } } },
  };
  const cwd = newPlace({ "materia.json": config, "replies.json": { replies: { Tell: [THREE_REQUESTS] } } });
  return subject(cwd, `${cwd}/replies.json`, `${cwd}/materia.json`);
}

it.each<[rule: string, at: ReturnType<typeof place>, raise: Partial<Resumption>, reason: RegExp]>([
  [
    "[D31, J34] the budget's tokens",
    place({ budget: { maxTokens: 50 } }),
    { maxTokens: 500 },
    /budget of 50 tokens is used up in the middle of Socket-1 \(Tell\)/,
  ],
  [
    "[D31, J34] a materia's tokens",
    place({}, { maxTurnTokens: 50 }),
    { allow: 1 },
    /\(Tell\) has used its 50 tokens of one turn/,
  ],
])("%s stop a turn at a reply's end, and it goes on from there", async (_rule, at, raise, reason) => {
  const events: CastEvent[] = [];
  const { end } = await begin(at, undefined, (more) => events.push(...more));
  expect(end?.state.phase).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
  expect(events.map(({ type }) => type).slice(-3)).toEqual(["turn_stopped", "limit_reached", "cast_ended"]);
  expect(end?.state.usage).toMatchObject({ input: 60, output: 20 });
  const on = (await goOn(at, undefined, { kind: "recast", ...raise } as Resumption)).end?.state;
  expect(on).toMatchObject({ phase: { outcome: "completed" }, handed: { text: "done" } });
  // Nothing is paid for twice, and nothing that was done is done again.
  expect(on?.usage).toMatchObject({ input: 90, output: 30 });
  expect(readFileSync(join(at.workspace.place.cwd, "log.txt"), "utf8")).toBe("line\nline\n");
});

it("[D31, YP20] minutes are counted by the clock of the cast, over all parts of a turn", async () => {
  const config = graph({ "Socket-1": seat("Build") }, { materia: { Build: { prompt: "Build.", maxTurnMinutes: 2 } } });
  let minutes = 0;
  const now = () => new Date(minutes * 60_000);
  const usage = { input: 1, output: 1, cost: 0 };
  const stops: boolean[] = [];
  const slow =
    (by: number) =>
    (request: TurnRequest): TurnOutcome => {
      minutes += by + 5;
      const asked = { kind: "extension_asked", extension: "gate", question: "May I?" } as const;
      request.onProgress({ ...asked, outcome: "yes", ms: 5 * 60_000 });
      stops.push(request.isBudgetSpent(usage));
      return { kind: "failed", reason: "limit", message: "", usage };
    };
  const first = await cast(config, [slow(2)], { now });
  expect(first.state.phase).toMatchObject({ outcome: "failed", limit: { limit: "maxTurnMinutes" } });
  const raised = after(first.state, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" });
  const second = await cast(raised, [slow(1), slow(1)], { now });
  // After one more minute it may go on; the host was wrong to stop it and is asked again, until four have passed.
  expect(stops).toEqual([true, false, true]);
  expect(second.state.phase).toMatchObject({ reason: expect.stringContaining("its 4 minutes of one turn") });
});
