import type { CastStart, CastState } from "../../cast/state/state.ts";
import type { EventBody } from "../../cast/state/event.ts";
import type { Amount } from "../../compile/amount.ts";
import { worstCase } from "../../compile/weigh/worst-case.ts";
import type { Flow } from "../../compile/flow.ts";
import { oneLine, thrownText } from "../../model/values/text.ts";
import { withItems } from "../item-events.ts";
import { simulate, type AskedEffect, type ItemsGo, type Simulated } from "../simulate.ts";
import { answerWith, type Choice } from "./choice.ts";

/** What is cast again and again. */
export interface Subject {
  readonly start: CastStart;
  readonly flow: Flow;
  /** With every repair. */
  readonly worst: Amount;
}

export function subjectOf(start: CastStart, flow: Flow): Subject {
  return { start, flow, worst: worstCase(start.graph, flow, start.limits).withRepairs };
}

/** One cast, and what is to be said of it. */
export interface FuzzedCast {
  readonly itemsGo: ItemsGo;
  readonly choices: readonly MadeChoice[];
  readonly cast: Simulated | undefined;
  readonly turns: number;
  readonly findings: readonly string[];
}

/** An answer with whom it was given by; a no to the merge of an item, which begins at its socket, is a conflict. */
export interface MadeChoice extends Choice {
  readonly by: AskedEffect["kind"] | "merge";
  readonly socket: string;
}

/** Whether something was answered, or went wrong without anybody. */
export function isToldChoice({ by, satisfied }: MadeChoice): boolean {
  return by !== "merge" || !satisfied;
}

/** Findings that are faults of the graph or of the engine; a limit that was reached is none. */
const FAULTS = ["endless", "beyond the worst case", "the engine failed", "state"] as const;

export function isFault(finding: string): boolean {
  return FAULTS.some((word) => finding.startsWith(word));
}

const MOST_ANSWERS = 20_000;

/** [T17] Answers as they are chosen, one after another, until the cast has ended. */
export function castOnce(
  { start, worst }: Subject,
  choose: (at: number) => Choice,
  itemsGo: ItemsGo = "one by one",
): FuzzedCast {
  const choices: MadeChoice[] = [];
  let turns = 0;
  const answer = (asked: AskedEffect, state: CastState): EventBody => {
    const choice = choose(choices.length);
    choices.push({ ...choice, by: asked.kind, socket: asked.socket.id });
    if (asked.kind === "agent") turns += 1;
    return answerWith(choice, asked, state);
  };
  const merges = (door: string): boolean => {
    const choice = choose(choices.length);
    choices.push({ ...choice, by: "merge", socket: door });
    return choice.satisfied;
  };
  try {
    const cast = simulate(start, answer, MOST_ANSWERS, itemsGo, merges);
    return { itemsGo, choices, cast, turns, findings: findingsIn(cast, turns, worst) };
  } catch (thrown) {
    const finding = `the engine failed: ${oneLine(thrownText(thrown), 200)}`;
    return { itemsGo, choices, cast: undefined, turns, findings: [finding] };
  }
}

function findingsIn(cast: Simulated, turns: number, worst: Amount): readonly string[] {
  const events = withItems(cast.events, cast.items);
  const most = boundOf(worst, sizesIn(events));
  const stopped = events.flatMap((event) => {
    if (event.type === "limit_reached") {
      const { socket, to } = event.where;
      return [`limit ${event.limit} at ${socket}${to === undefined ? "" : ` → ${to}`}`];
    }
    // Why an item failed, its own cast has told.
    return event.type === "turn_failed" && event.reason !== "item"
      ? [`${event.reason} at ${event.socket}: ${oneLine(event.message, 160)}`]
      : [];
  });
  return [
    ...(cast.ended ? [] : ["endless: it does not come to an end"]),
    ...(most !== undefined && turns > most ? [`beyond the worst case: more turns than ${JSON.stringify(worst)}`] : []),
    ...stopped,
  ];
}

/** The longest list that each loop was given. */
function sizesIn(events: Simulated["events"]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const event of events)
    if (event.type === "loop_entered") sizes.set(event.loop, Math.max(sizes.get(event.loop) ?? 0, event.size));
  return sizes;
}

/** The worst case for these lists; nothing where there is no bound. */
function boundOf(worst: Amount, sizes: ReadonlyMap<string, number>): number | undefined {
  if (worst === null) return undefined;
  return Object.entries(worst).reduce(
    (sum, [loop, each]) => sum + each * (loop === "" ? 1 : (sizes.get(loop) ?? 0)),
    0,
  );
}
