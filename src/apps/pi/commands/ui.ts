import { error, fail } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { Desk } from "./state.ts";

export async function openUi(_desk: Desk, _a: unknown, _b: unknown): Promise<Result<undefined>> {
  return fail(error("not_yet", "openUi", "later"));
}
