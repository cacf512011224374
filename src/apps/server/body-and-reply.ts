import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { failWith, error, type Issue, fail, isError, ok, type Result, suggest, typed } from "../../core/model/issue.ts";
import type { IssueCode } from "../../core/model/issue-codes.ts";
import { isUtf8 } from "node:buffer";
import type * as v from "valibot";
import { parseJson } from "../../core/model/json.ts";
import { validate } from "../../core/catalog/validate.ts";

/** [N8] Every refusal has one shape. */
export function refuse(c: Context, status: ContentfulStatusCode, ...issues: readonly Issue[]): Response {
  return c.json({ issues }, status);
}

/** Refuses a valid request that cannot be carried out; its first issue decides the status. */
export function refuseByCode(c: Context, issues: readonly Issue[]): Response {
  const [first] = issues;
  return refuse(c, (first && STATUS_BY_CODE[first.code]) ?? 422, ...issues);
}

const STATUS_BY_CODE: Readonly<Partial<Record<IssueCode, ContentfulStatusCode>>> = {
  bad_request: 400,
  bad_cast_id: 400,
  unknown_cast: 404,
  missing_cast: 404,
  missing_file: 404,
  unknown_visit: 404,
  unknown_file: 404,
  checkpoint_deleted: 404,
  missing_checkpoints: 404,
  untrusted_project: 409,
  foreign_cast: 409,
  cast_owned: 409,
  cast_finished: 409,
  cast_reassigned: 409,
  awaiting_person: 409,
  not_awaiting_person: 409,
  file_changed: 412,
  body_too_large: 413,
  write_failed: 500,
  remove_failed: 500,
  database_unreachable: 503,
};

export function notFound(c: Context): Response {
  return refuse(c, 404, error("not_found", "", "nothing exists at this address"));
}

export function refuseAccess(c: Context, place: string, message: string): Response {
  return refuse(c, 401, error("invalid_token", place, message, suggest`open the address that ${typed`ui`} prints`));
}

const MIB = 1024 * 1024;

/** [N5, N6] A route with a JSON body of limited length. A declared length is checked before reading. */
export function withBody<const T extends v.GenericSchema>(
  schema: T,
  route: (c: Context, body: v.InferOutput<T>) => Response | Promise<Response>,
  mebibytes = 1,
): (c: Context) => Promise<Response> {
  return async (c) => {
    const type = c.req.header("content-type") ?? "";
    if (!/^application\/json(?:\s*;.*)?$/i.test(type))
      return refuse(c, 415, error("wrong_content_type", "Content-Type", "the body must be application/json"));
    const text = await readLimitedBody(c, mebibytes);
    if (!text.ok) return refuseByCode(c, text.issues);
    const raw = parseJson(text.value);
    if (raw === undefined) return refuse(c, 400, error("bad_json", "", "the body is not JSON"));
    const body = validate(schema, raw, []);
    return body.value === undefined ? refuse(c, 400, ...body.issues.filter(isError)) : route(c, body.value);
  };
}

/** Counts a body without a declared length while reading, and stops at the limit. */
async function readLimitedBody(c: Context, mebibytes: number): Promise<Result<string>> {
  const most = mebibytes * MIB;
  const tooLarge = error("body_too_large", "", `the body must have at most ${mebibytes} MiB`);
  if (Number(c.req.header("content-length") ?? 0) > most) return fail(tooLarge);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of c.req.raw.body ?? []) {
      length += part.length;
      if (length > most) return fail(tooLarge);
      parts.push(part);
    }
  } catch {
    return failWith("bad_request", "", "the body is incomplete");
  }
  const bytes = Buffer.concat(parts);
  return isUtf8(bytes) ? ok(bytes.toString("utf8")) : failWith("bad_request", "", "the body is not UTF-8");
}
