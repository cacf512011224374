import type { StreamMessage } from "../../../../core/wire/stream.ts";
import { frame } from "../http/stream.ts";

/** A message of a stream as it goes over the wire. */
export function say({ kind, data }: Exclude<StreamMessage, { kind: "message" }>): string {
  return frame({ event: kind, data: JSON.stringify(data) });
}

/** A line of the journal as it stands in the file: it has been read as an event, and is not written anew. */
export function sayLine(seq: number, line: string): string {
  return frame({ id: seq, data: line });
}
