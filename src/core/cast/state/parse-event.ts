import * as v from "valibot";
import { isJsonObject } from "../../model/json.ts";
import { wholeNumber, compileCheck } from "../../model/schemas.ts";
import { EVENT_SCHEMAS, type CastEvent } from "./event.ts";

const stampFields = { seq: wholeNumber(1), at: v.string() };

/** Stamp and body in one schema, so that each line is checked once. */
const LINE_SCHEMAS = new Map(
  Object.entries(EVENT_SCHEMAS).map(([type, body]) => {
    const schema: v.GenericSchema = v.object({ ...stampFields, ...body.entries });
    return [type, { schema, isSound: compileCheck(schema) }];
  }),
);

/** The event, or a sentence on what is wrong with it. */
export function parseEvent(value: unknown): CastEvent | string {
  if (!isJsonObject(value) || typeof value["type"] !== "string") return NOT_AN_EVENT;
  const { type } = value;
  const line = LINE_SCHEMAS.get(type);
  if (!line) return `its type "${type}" is unknown here; a newer version may have written it`;
  if (line.isSound(value)) return value as unknown as CastEvent; // every field of its type has just been checked
  const [issue] = v.safeParse(line.schema, value).issues ?? [];
  const path = (issue && v.getDotPath(issue)) ?? type;
  return path === "seq" || path === "at" ? NOT_AN_EVENT : `its "${path}" is wrong`;
}

const NOT_AN_EVENT = "it is no event (seq, at or type is missing or wrong)";
