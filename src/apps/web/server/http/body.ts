import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import * as v from "valibot";
import { validate } from "../../../../core/catalog/validate.ts";
import { error, fail, isError, ok } from "../../../../core/model/issue.ts";
import type { Result } from "../../../../core/model/issue.ts";
import { refuse } from "./reply.ts";

const MIB = 1024 * 1024;

/** [N5, N6] A body is JSON and not long; both are known before it is read. */
export function jsonBody(mebibytes: number): readonly [MiddlewareHandler, MiddlewareHandler] {
  return [
    async (c, next) => {
      const type = c.req.header("content-type") ?? "";
      if (/^application\/json(?:\s*;.*)?$/i.test(type)) return next();
      return refuse(c, 415, error("wrong_content_type", "Content-Type", "a body is application/json"));
    },
    bodyLimit({
      maxSize: mebibytes * MIB,
      onError: (c) => refuse(c, 413, error("too_large", "", `a body has at most ${mebibytes} MiB here`)),
    }),
  ];
}

export async function readBody<const T extends v.GenericSchema>(
  c: Context,
  schema: T,
): Promise<Result<v.InferOutput<T>>> {
  let raw: unknown;
  try {
    raw = JSON.parse(await c.req.text());
  } catch {
    return fail(error("bad_json", "", "the body is not JSON"));
  }
  const read = validate(schema, raw, []);
  if (read.value === undefined) return fail(...read.issues.filter(isError));
  return ok(read.value);
}
