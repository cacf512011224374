import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import type { CastStore } from "../store/cast-store.ts";

/** How a cast stands, without keeping what led to it. */
export async function readCastState(store: CastStore, castId: CastId): Promise<Result<CastState>> {
  const cast = await store.current(castId);
  return cast.ok ? ok(cast.value.state) : cast;
}
