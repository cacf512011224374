import { join } from "node:path";
import { expect, it } from "vitest";
import { BUNDLED_AGENTS } from "../../src/core/catalog/bundled-agents.ts";
import { BUNDLED_GENERATORS } from "../../src/core/catalog/bundled-generators.ts";
import { startedEvent } from "../../src/core/cast/next.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { startOf, type TestConfig } from "../harness/play.ts";
import { always, exit, graph, loop, notSatisfied, said, satisfied, seat, world } from "../harness/seats.ts";

const MATERIA = { ...BUNDLED_AGENTS, ...BUNDLED_GENERATORS };
const JUDGE = { Judge: { prompt: "Judge.", parse: "json" } };

/** The materia at Socket-2, where a judge sends it back once; a judge is asked again because it refused. */
function loadoutFor(name: string): TestConfig {
  const materia = { ...MATERIA, ...JUDGE };
  const planner = seat("Planner", always("Socket-2"));
  const again = seat("Judge", notSatisfied("Socket-2"), satisfied("end"));
  if (name === "Chain-Context") return graph({ "Socket-2": seat(name) }, { materia });
  if (name in BUNDLED_GENERATORS)
    return graph({ "Socket-2": seat(name, always("Socket-3")), "Socket-3": again }, { materia });
  if (name === "Narrate" || name === "Integration-Review") {
    const build = { ...seat("Build", always("Socket-4")), advance: {} };
    const loops = { each: loop(["Socket-4"], exit("Socket-4", "always", "Socket-2")) };
    const ends =
      name === "Narrate" ? seat(name, always("Socket-3")) : seat(name, satisfied("end"), notSatisfied("Socket-3"));
    const mend = name === "Narrate" ? again : seat("Build", always("Socket-2"));
    return graph(
      { "Socket-1": seat("Planner", always("Socket-4")), "Socket-4": build, "Socket-2": ends, "Socket-3": mend },
      { materia, loops },
    );
  }
  if (name === "Auto-Eval" || name === "GitMaintain" || name === "Cover") {
    const own = { ...seat(name, notSatisfied("Socket-3"), satisfied("Socket-3")), advance: { when: "satisfied" } };
    const loops = { each: loop(["Socket-3", "Socket-2"]) };
    return graph(
      {
        "Socket-1": seat("Planner", always("Socket-3")),
        "Socket-3": seat("Build", always("Socket-2")),
        "Socket-2": own,
      },
      { materia, loops },
    );
  }
  const judge = { ...seat("Judge", notSatisfied("Socket-2"), satisfied("Socket-2")), advance: { when: "satisfied" } };
  const loops = { each: loop(["Socket-2", "Socket-3"]) };
  return graph(
    { "Socket-1": planner, "Socket-2": seat(name, always("Socket-3")), "Socket-3": judge },
    { materia, loops },
  );
}

const PLAN = {
  workItems: [
    { title: "Add slugify", context: "slugify(text) gives lower case words joined by dashes." },
    { title: "Document slugify", context: "README names slugify with an example." },
  ],
  context: "Plain ASCII only.\nOpen: other scripts are left out.",
};

/** Refuses once at the place that sends work back, then agrees. */
function reply({ materia, socket: id, earlierTurns }: TurnRequest, name: string): string {
  const first = earlierTurns().every((each) => each.socket !== id || each.turns === 0);
  const refuses = MATERIA[name]?.parse === "json" && id === "Socket-2" ? true : materia === "Judge";
  if (materia in BUNDLED_GENERATORS) return JSON.stringify(PLAN);
  if (refuses && first)
    return JSON.stringify({ satisfied: false, context: "src/slugify.js: an empty text gives undefined." });
  if (refuses) return JSON.stringify({ satisfied: true, context: "npm test passes.\nOpen: not run on Windows." });
  return `${materia}: src/slugify.js and its test, npm test passes.\nOpen: the types were not compiled, there is no compiler here.`;
}

async function requestsOf(name: string): Promise<readonly TurnRequest[]> {
  let commits = 0;
  const { asked, ...ports } = world((request) => said(reply(request, name)), {
    checkpoints: {
      take: async () => ({ commit: `c${(commits += 1)}`, changed: 1, added: 2, removed: 0 }),
      describe: async () => " src/slugify.js | 2 ++\n\n+export const slugify = (text) => text;",
    },
  });
  const data = {
    vcs: { kind: "git", root: "/project" },
    previousCastContext: { castId: "cast-0", outcome: "completed" },
  };
  const state = initialState(startOf(loadoutFor(name), { request: "Write slugify.", data }));
  const repository = {
    branch: "main",
    made: ["1a2b3c4 Add slugify"],
    subjects: ["Add words", "Start the project"],
    uncommitted: [],
  };
  await runCast(state, ports, {
    cwd: "/project",
    signal: new AbortController().signal,
    firstEvents: [startedEvent(state, { commit: "c0" })],
    readRepository: async () => repository,
  });
  return asked.filter((request) => request.socket === "Socket-2");
}

it.each(Object.keys(MATERIA))(
  "[P1, P11] the first and the repeated request of %s are as reviewed, with one system text",
  async (name) => {
    const [first, again] = (await requestsOf(name)).filter(({ history }) => history === "fresh");
    const text = [
      `# System\n\n${first?.system}`,
      `# First message\n\n${first?.prompt}`,
      `# Repeated message\n\n${again?.prompt ?? "(never)"}`,
    ];
    expect(again?.system ?? first?.system).toBe(first?.system);
    await expect(`${text.join("\n\n")}\n`).toMatchFileSnapshot(join(import.meta.dirname, "requests", `${name}.md`));
  },
);
