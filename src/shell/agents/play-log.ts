import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { RehearsalUsage, RehearsedCall } from "../../core/testing/strict.ts";
import type { TurnProgress, TurnRequest } from "../ports.ts";
import { rehearsalKeyFor } from "./rehearsal-key.ts";

/** What becomes of the replies of a rehearsal while it is played. */
export interface RehearsalLog {
  readonly markTaken: (key: string, position: number) => void;
  /** The request, with an eye on its tools. */
  readonly trackTools: (request: TurnRequest) => TurnRequest;
  readonly played: () => RehearsalUsage;
}

export function createRehearsalLog(rehearsal: Rehearsal): RehearsalLog {
  const { replies } = rehearsal;
  const taken = new Map<string, number>();
  const calls: RehearsedCall[] = [];
  // A resumed cast goes on behind the replies that were taken before.
  const take = (key: string, position: number): void =>
    void taken.set(key, Math.max(taken.get(key) ?? 0, position + 1));
  const following = (request: TurnRequest): TurnRequest => ({
    ...request,
    onProgress: (progress) => {
      const call = progress.kind === "tool_ended" ? playedCall(rehearsal, request, progress) : undefined;
      if (call) calls.push(call);
      request.onProgress(progress);
    },
  });
  return { markTaken: take, trackTools: following, played: () => ({ replies, taken, calls }) };
}

/** A call is known by its id: which reply, which call of it. Behind the last reply the last is repeated. */
function playedCall(
  rehearsal: Rehearsal,
  request: TurnRequest,
  { id, name, failed, said }: Extract<TurnProgress, { kind: "tool_ended" }>,
): RehearsedCall | undefined {
  const place = /^call-(\d+)-(\d+)$/.exec(id);
  if (!place) return undefined;
  const key = rehearsalKeyFor(rehearsal, request);
  const own = Object.hasOwn(rehearsal.replies, key) ? (rehearsal.replies[key] ?? []) : [];
  const reply = Math.min(Number(place[1]), own.length) - 1;
  const mayFail = own[reply]?.tools[Number(place[2]) - 1]?.fails === true;
  return { key, socket: request.socket, reply, name, failed, mayFail, said };
}
