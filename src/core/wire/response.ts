import * as v from "valibot";
import { failWith, ok, type Issue, type Result } from "../model/issue.ts";

const Problem = v.looseObject({
  severity: v.picklist(["error", "warning", "info"]),
  code: v.string(),
  message: v.string(),
  hint: v.optional(v.string()),
});

/** An issue on the wire. Fields of a newer server pass. */
export const IssueSchema = v.custom<Issue>((value) => v.is(Problem, value), "is no problem");

/** [N8] The response to every refused request. */
export const ErrorResponse = v.object({ issues: v.array(IssueSchema) });
export type ErrorResponse = v.InferOutput<typeof ErrorResponse>;

/** The parsed response, or a message for a person whose only remedy is to reload the page. */
export function parseResponse<const T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  what: string,
): Result<v.InferOutput<T>> {
  const read = v.safeParse(schema, value);
  if (read.success) return ok(read.output);
  const [first] = read.issues;
  const place = v.getDotPath(first);
  const where = place === null ? "" : ` at "${place}"`;
  const hint = "page and server may be of different versions: reload the page";
  return failWith("unexpected_response", what, `the response of the server is invalid${where}: ${first.message}`, hint);
}

/** [N39] The key that a browser receives once, with the token, to log in again later. */
export const LoginKey = v.object({ key: v.string() });
export type LoginKey = v.InferOutput<typeof LoginKey>;

/** Changes with every start of the server. */
export const LoginChallenge = v.object({ challenge: v.string() });
export type LoginChallenge = v.InferOutput<typeof LoginChallenge>;

export const LoginProof = v.strictObject({ proof: v.pipe(v.string(), v.maxLength(100)) });

export const LoginToken = v.object({ token: v.string() });
export type LoginToken = v.InferOutput<typeof LoginToken>;

/** The signed text. It has the address, not a name: a name may resolve to another server on this machine. */
export function loginMessage(port: number, challenge: string): string {
  return `pi-materia ui\n127.0.0.1:${port}\n${challenge}`;
}
