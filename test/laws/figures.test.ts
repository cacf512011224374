import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import type { CastStart, CastState } from "../../src/core/cast/state/state.ts";
import { applyStep, advanceTimeline, startTimeline } from "../../src/core/cast/timeline.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { figuresText } from "../../src/core/view/numbers.ts";
import { castBoard } from "../../src/core/view/progress/board.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { startedSummary, sufficesForSummary } from "../../src/shell/store/summary.ts";
import { catalogOf, type TestConfig } from "../harness/play.ts";
import { chanceOf, randomConfig, simulate, type Chance } from "../harness/random-graph.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const castId = "test-cast" as CastId; // of an id's form
const AT = "2026-01-01T00:00:00.000Z";

const SEEDS = sweepSize(40, 400);

it("[C36] casts, status and show tell the same figures, wherever a cast stands", SWEEP, async () => {
  const seen = { casts: 0, moments: 0, givenUp: 0, between: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const cast = randomCast(chanceOf(seed));
    if (!cast) continue;
    seen.casts += 1;
    let trail = startTimeline(initialState(cast.start));
    for (const [index, event] of cast.events.entries()) {
      trail = advanceTimeline(trail, applyStep(trail.state, event));
      const past = cast.events.slice(0, index + 1);
      const listed = await listedAs(past);
      const board = castBoard(trail, { now: 0, alive: true });
      const { status, visits, items, tokens, cost } = board;
      expect(listed, `seed ${seed}, event ${index + 1} (${event.type})`).toMatchObject({
        status,
        visits,
        items,
        tokens,
        cost,
      });
      expect(listed?.rehearsed).toBe(board.rehearsed);
      const isTold = index % 9 === 0;
      expect(isTold ? headOf(cast.start, past) : figuresText(board)).toContain(figuresText(board));
      seen.moments += 1;
      if (items.givenUp !== undefined) seen.givenUp += 1;
      if (!("totals" in event)) seen.between += 1;
    }
  }
  expect(seen.casts).toBeGreaterThan(SEEDS / 4);
  expect([seen.moments > 7 * SEEDS, seen.givenUp >= sweepSize(0, 31), seen.between > 2 * SEEDS]).toEqual([
    true,
    true,
    true,
  ]);
});

/** As a listing does: the first event, and no more of the last than it needs. */
async function listedAs(events: readonly CastEvent[]) {
  const [first] = events;
  let from = events.length - 1;
  while (from > 0 && !sufficesForSummary(events.slice(from))) from -= 1;
  const ends = { ...(first ? { first } : {}), last: events.slice(from), unread: 0 };
  return startedSummary(castId, ends, () => Promise.resolve(true));
}

function headOf(start: CastStart, events: readonly CastEvent[]): string {
  return plainText(storyLines(start, events, { alive: true }).slice(0, 2));
}

interface RandomCast {
  readonly start: CastStart;
  readonly events: readonly CastEvent[];
}

/** Some are rehearsed, some stop at a limit and go on with a larger one. */
function randomCast(chance: Chance): RandomCast | undefined {
  const config = withThen(randomConfig(chance, chance.count(2, 7)), chance);
  const catalog = catalogOf(config);
  const compiled = compileTargets([{ kind: "loadout", name: "Main" }], catalog);
  if (!compiled.ok) return undefined;
  const { limits, budget } = catalog.settings;
  const { graph } = compiled.value;
  const start: CastStart = { castId, request: "x", graph, limits, budget, data: {}, rehearsed: chance.happens(0.5) };
  const events: CastEvent[] = [];
  let state: CastState = initialState(start);
  for (let round = 0; round < 3; round += 1) {
    const more = simulate(state, chance, 60);
    events.push(...more.events);
    state = more.state;
    if (state.phase.kind !== "ended" || state.phase.outcome !== "failed") break;
    const resumed: readonly EventBody[] = [
      { type: "limits_raised", allow: 1 },
      { type: "cast_resumed", by: "test" },
    ];
    for (const body of resumed) {
      const event: CastEvent = { ...body, seq: state.seq + 1, at: AT };
      state = apply(state, event);
      events.push(event);
    }
  }
  return { start, events };
}

/** Inside loops some ways that are used up give the item up. */
function withThen(config: TestConfig, chance: Chance): TestConfig {
  const { Main } = config.loadouts as { Main: Main }; // as it is made there
  const members = new Set(Object.values(Main.loops).flatMap(({ sockets }) => sockets));
  const sockets = Object.entries(Main.sockets).map(([id, socket]) => {
    const edges = (socket.edges ?? []).map((edge) =>
      members.has(id) && edge.maxTraversals !== undefined && chance.happens(0.8) ? { ...edge, then: "next" } : edge,
    );
    return [id, { ...socket, edges }];
  });
  return { ...config, loadouts: { Main: { ...Main, sockets: Object.fromEntries(sockets) } } };
}

interface Main {
  readonly sockets: Readonly<Record<string, { readonly edges?: readonly { readonly maxTraversals?: number }[] }>>;
  readonly loops: Readonly<Record<string, { readonly sockets: readonly string[] }>>;
}
