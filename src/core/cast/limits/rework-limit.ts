import type { SocketId } from "../../model/ids.ts";
import type { EventOf } from "../state/event.ts";
import { expect } from "../state/expect.ts";
import type { CastState } from "../state/state.ts";

/** Where a cast stopped because something was sent back too often, and what a person can decide there. */
export interface ReworkLimit {
  /** The visit that was not content. */
  readonly socket: SocketId;
  readonly visit: number;
  /** The item in hand, which can be given up; null outside lists. */
  readonly item: { readonly loop: string; readonly index: number } | null;
  /** Why it was sent back last. */
  readonly reason: string;
}

/** [R6] The limit of an edge for what was not satisfied, while its visit has not been left. */
export function reworkLimitOf({ phase, pass, satisfied, handed }: CastState): ReworkLimit | undefined {
  if (phase.kind !== "ended" || phase.outcome !== "failed" || phase.limit?.limit !== "maxTraversals") return undefined;
  const { before } = phase;
  if (before.kind !== "leaving" || before.moved !== "no" || satisfied !== false) return undefined;
  const { socket, number } = before.visit;
  const item = pass ? { loop: pass.loop, index: pass.cursor } : null;
  return { socket, visit: number, item, reason: handed?.reason ?? "" };
}

/** [R6] A person takes the result as it is: it goes on as if the visit had been content. */
export function acceptAsItIs(state: CastState, event: EventOf<"person_judged">): CastState {
  const { moved } = expect(state, event, "leaving");
  if (moved !== "no") throw new Error("what has moved on cannot be judged any more");
  return { ...state, satisfied: event.satisfied };
}

/** [R6] What a person says beside the reason stands before it: it counts more, and is cut last. */
export function withHint({ handed }: CastState, hint: string | undefined): CastState["handed"] {
  if (!handed || hint === undefined || hint.trim() === "") return handed;
  const said = `The person you work for says: ${hint.trim()}`;
  const beside = (text: string): string => (text.trim() === "" ? said : `${said}\n\n${text}`);
  return { ...handed, text: handed.text.trim() === "" ? "" : beside(handed.text), reason: beside(handed.reason) };
}
