import { error, fail } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { Desk } from "./state.ts";

export async function demo(_desk: Desk): Promise<Result<undefined>> {
  return fail(error("not_yet", "demo", "later"));
}
