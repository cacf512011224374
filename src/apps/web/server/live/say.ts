import type { StreamMessage } from "../../../../core/wire/stream.ts";
import { sseFrame } from "../http/stream.ts";

/** A message of a stream as it goes over the wire. */
export function encodeMessage({ kind, data }: Exclude<StreamMessage, { kind: "message" }>): string {
  return sseFrame({ event: kind, data: JSON.stringify(data) });
}

/** A line of the journal as it stands in the file: it has been read as an event, and is not written anew. */
export function encodeJournalLine(seq: number, line: string): string {
  return sseFrame({ id: seq, data: line });
}
