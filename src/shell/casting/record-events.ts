import { apply } from "../../core/cast/apply.ts";
import type { CastEvent, EventBody } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import type { CastStore } from "../store/cast-store.ts";

export async function recordEvents(
  store: CastStore,
  castId: CastId,
  bodies: readonly EventBody[],
): Promise<Result<CastState>> {
  const owned = await store.claim(castId, { durability: "sync" });
  if (!owned.ok) return owned;
  try {
    const cast = await owned.value.load();
    if (!cast.ok) return cast;
    const events: CastEvent[] = [];
    let { state } = cast.value;
    const { seq } = state;
    for (const body of bodies) {
      const event: CastEvent = { seq: state.seq + 1, at: new Date().toISOString(), ...body };
      state = apply(state, event);
      events.push(event);
    }
    const problem = await owned.value.journal.append(events, seq);
    return problem === undefined ? ok(state) : failWith("write_failed", castId, problem);
  } finally {
    await owned.value.release();
  }
}
