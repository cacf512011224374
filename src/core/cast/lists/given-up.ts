import type { CastState, LoopPass } from "../state/state.ts";

const MAX_NAMED_ITEMS = 20;

/** [G28] One more item that is left undone; the end of the cast says which. */
export function withGivenUpItem(state: CastState, pass: LoopPass, index: number, reason: string): CastState {
  const { count, first } = state.givenUp;
  const title = pass.items[index]?.title ?? "";
  const named = first.length < MAX_NAMED_ITEMS ? [...first, { index, title, reason }] : first;
  return {
    ...state,
    pass: { ...pass, givenUp: pass.givenUp + 1 },
    givenUp: { count: count + 1, first: named },
    done: { ...state.done, itemsGivenUp: (state.done.itemsGivenUp ?? 0) + 1 },
  };
}

/** [V10] The item that was given up last is worked on again. */
export function withoutLastGivenUpItem(state: CastState, pass: LoopPass): CastState {
  const { count, first } = state.givenUp;
  const { itemsGivenUp = 0, ...done } = state.done;
  return {
    ...state,
    pass: { ...pass, givenUp: pass.givenUp - 1 },
    givenUp: { count: count - 1, first: first.slice(0, count - 1) },
    done: itemsGivenUp > 1 ? { ...done, itemsGivenUp: itemsGivenUp - 1 } : done,
  };
}
