import { countOf, itemTurnKey } from "../../core/cast/state/tally.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import { socketsOf } from "../../core/compile/graph.ts";
import type { SocketTurnCount } from "../ports.ts";

/** What each socket has had so far: turns of its agent, answers of its person. */
export function earlierTurns(state: CastState): readonly SocketTurnCount[] {
  return socketsOf(state.graph).flatMap(({ id, materia }) => {
    const turns = countOf(state.turns, id);
    const turnsFor = (item: string): number => countOf(state.turns, itemTurnKey(id, item));
    return turns === 0 ? [] : [{ socket: id, materia, turns, turnsFor }];
  });
}
