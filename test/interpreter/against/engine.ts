import { mergeLayers } from "../../../src/core/catalog/catalog.ts";
import { readLayer } from "../../../src/core/catalog/layer.ts";
import { apply } from "../../../src/core/cast/apply.ts";
import { decide } from "../../../src/core/cast/decide.ts";
import type { Outcome } from "../../../src/core/cast/decide.ts";
import type { CastEvent, EventBody } from "../../../src/core/cast/state/event.ts";
import { next } from "../../../src/core/cast/next.ts";
import { startState } from "../../../src/core/cast/state/state.ts";
import type { CastState } from "../../../src/core/cast/state/state.ts";
import { refsOf } from "../../harness/chain.ts";
import { compile } from "../../../src/core/compile/targets/compile.ts";
import type { Compiled } from "../../../src/core/compile/targets/compile.ts";
import type { CastId } from "../../../src/core/model/ids.ts";
import type { Result } from "../../../src/core/model/issue.ts";
import { turnText } from "../../../src/core/prompt/turn.ts";
import type { World } from "../cast.ts";
import type { Graph } from "../texts.ts";
import { marksOf } from "../told.ts";
import { LONGEST, TURN } from "../walk.ts";
import type { Case } from "../random/worlds.ts";
import { factsOf } from "./facts.ts";

export interface Ran {
  readonly events: readonly CastEvent[];
  readonly facts: readonly string[];
  readonly state: CastState;
  readonly turns: number;
}

export function engineGraph({ texts, targets }: Case): Result<Compiled> {
  const catalog = mergeLayers([readLayer("explicit", JSON.parse(JSON.stringify(texts)) as object, "test.json")]);
  return compile(refsOf(targets.join(" ")), catalog);
}

export function engineStart({ texts }: Case, { graph }: Compiled): CastState {
  const castId = "law" as CastId; // of an id's form
  return startState({ castId, request: "do it", graph, limits: texts.limits, budget: texts.budget, data: {} });
}

/** A cast of the engine from a journal that may hold something already. */
export function runEngine(start: CastState, before: readonly CastEvent[], graph: Graph, world: World): Ran {
  const events = [...before];
  const facts = before.flatMap((event) => factsOf(event, graph));
  let state = before.reduce(apply, start);
  let turns = 0;
  let stops = before.filter(({ type }) => type === "limit_reached").length;
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at: "2026-01-01T00:00:00.000Z" };
    state = apply(state, event);
    events.push(event);
    facts.push(...factsOf(event, graph));
  };
  const had = new Map<string, number>();
  for (const event of before)
    if (event.type === "handoff_rejected" || event.type === "turn_answered")
      had.set(`${event.socket} ${event.visit}`, (had.get(`${event.socket} ${event.visit}`) ?? 0) + 1);
  for (;;) {
    const effect = next(state);
    if (effect.kind === "record") {
      for (const body of effect.events) {
        if (body.type === "visit_started" && facts.filter((fact) => fact.startsWith("visit ")).length >= LONGEST)
          return { events, facts, state, turns };
        if (body.type === "limit_reached") stops += 1;
        note(body);
      }
    } else if (effect.kind === "agent" || effect.kind === "utility") {
      const place = graph.places.get(effect.socket.id);
      if (!place) throw new Error(`the interpreter knows no ${effect.socket.id}`);
      const number = effect.visit.number;
      const key = `${place.id} ${number}`;
      const turn = (had.get(key) ?? 0) + 1;
      had.set(key, turn);
      if (effect.kind === "agent") {
        turns += 1;
        const { system, prompt } = turnText(state, effect);
        // A repair may quote the reply of this visit that it complains of.
        const quoted = `«p${place.id}#${number}.`;
        const marks = marksOf(`${system}\n${prompt}`).filter((mark) => turn === 1 || !mark.startsWith(quoted));
        facts.push(`told ${place.id} ${marks.join(" ")}`);
      }
      const text = world.reply(place, number, turn);
      const outcome: Outcome =
        effect.kind === "utility"
          ? place.materia.gate
            ? { kind: "ended", code: world.exitCode(place, number), printed: text }
            : { kind: "exited", stdout: text, cut: false }
          : { kind: "replied", text, usage: { input: TURN - 5, output: 5, cost: 0 } };
      note(decide(state, effect.socket, outcome));
    } else if (effect.kind === "wait") {
      const place = graph.places.get(effect.socket.id);
      if (!place) throw new Error(`the interpreter knows no ${effect.socket.id}`);
      const at = { socket: effect.socket.id, visit: effect.visit.number };
      const { yes, text } = world.person(place, at.visit, had.get(`${place.id} ${at.visit}`) ?? 1);
      note({ type: "cast_resumed", by: "law" });
      if (place.materia.type === "person") note({ type: "person_judged", ...at, satisfied: yes, text });
      else note(yes ? { type: "person_finished", ...at } : { type: "person_answered", ...at, text });
    } else {
      const limit = events.findLast(({ type }) => type === "limit_reached");
      if (events.at(-1)?.type === "limits_raised") {
        note({ type: "cast_resumed", by: "law" });
        continue;
      }
      const raised =
        effect.kind === "stop" && events.at(-2) === limit && limit?.type === "limit_reached"
          ? world.raise(limit.limit, stops)
          : undefined;
      if (raised === undefined || limit?.type !== "limit_reached") return { events, facts, state, turns };
      const tokens = state.budget.maxTokens ?? 0;
      note({
        type: "limits_raised",
        ...(limit.limit === "maxTokens" ? { maxTokens: tokens + raised } : { allow: raised }),
      });
      note({ type: "cast_resumed", by: "law" });
    }
  }
}
