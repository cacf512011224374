import { useMemo, useState } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import {
  generateReplies,
  repliesFromCast,
  type RehearsedReply,
  type SocketReplies,
} from "../../../core/edit/rehearsal-replies.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { getCast } from "../net/api.ts";

export interface SocketReplyDraft extends SocketReplies {
  readonly isChanged: boolean;
}

type EarlierCast = Parameters<typeof repliesFromCast>[1] & { readonly castId: string };

/** [E30] The replies of each socket: made up, or of an earlier cast, and then as a person changed them. */
export function useRehearsalReplies(graph: Graph) {
  const [items, setItems] = useState("2");
  const [past, setPast] = useState<EarlierCast | null>(null);
  const [changed, setChanged] = useState<Readonly<Record<string, readonly RehearsedReply[]>>>({});
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const count = parseItemCount(items);
  const base = useMemo(() => {
    const made = generateReplies(graph, count);
    return past ? repliesFromCast(made, past) : made;
  }, [graph, count, past]);
  const sockets = base.map((each): SocketReplyDraft => {
    const own = changed[each.socket];
    return { ...each, replies: own ?? each.replies, isChanged: own !== undefined };
  });
  const takeFrom = async (castId: string | null): Promise<void> => {
    setIssues([]);
    const answer = castId === null ? null : await getCast(castId);
    if (answer && !answer.ok) return setIssues(answer.issues);
    setChanged({});
    setPast(
      answer && castId !== null ? { castId, graph: answer.value.castFile.graph, events: answer.value.events } : null,
    );
  };
  return {
    sockets,
    items,
    setItems,
    sourceCastId: past?.castId ?? null,
    loadFromCast: (castId: string | null) => void takeFrom(castId),
    change: (socket: string, replies: readonly RehearsedReply[]) => setChanged({ ...changed, [socket]: replies }),
    issues,
    buildReplies: () => Object.fromEntries(sockets.map(({ socket, replies }) => [socket, [...replies]])),
  };
}

function parseItemCount(text: string): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= 0 && count <= 200 ? count : 2;
}
