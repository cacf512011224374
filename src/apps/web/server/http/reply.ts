import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { error, type Issue } from "../../../../core/model/issue.ts";

/** [N8] Every refusal has one shape, whatever was wrong. */
export function refuse(c: Context, status: ContentfulStatusCode, ...issues: readonly Issue[]): Response {
  return c.json({ issues }, status);
}

/** The refusal of something well formed that cannot be done: its first problem says which kind it is. */
export function refuseByCode(c: Context, issues: readonly Issue[]): Response {
  return refuse(c, statusForCode(issues[0]?.code ?? ""), ...issues);
}

function statusForCode(code: string): ContentfulStatusCode {
  return STATUS_BY_CODE[code] ?? 422;
}

const STATUS_BY_CODE: Readonly<Record<string, ContentfulStatusCode>> = {
  bad_request: 400,
  bad_cast_id: 400,
  unknown_cast: 404,
  no_cast: 404,
  missing_file: 404,
  unknown_place: 404,
  unknown_file: 404,
  checkpoint_gone: 404,
  no_checkpoints: 404,
  not_trusted: 409,
  foreign_cast: 409,
  cast_is_owned: 409,
  cast_is_over: 409,
  cast_moved: 409,
  cast_waits: 409,
  cast_does_not_wait: 409,
  changed: 412,
  too_large: 413,
  cannot_write: 500,
  cannot_remove: 500,
  database_unreachable: 503,
};

export function notFound(c: Context): Response {
  return refuse(c, 404, error("not_found", "", "there is nothing at this address"));
}
