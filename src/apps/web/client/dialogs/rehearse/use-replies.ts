import { useMemo, useState } from "react";
import type { Graph } from "../../../../../core/compile/graph.ts";
import {
  generatedReplies,
  repliesOfCast,
  type RehearsedReply,
  type RehearsedSocket,
} from "../../../../../core/edit/rehearse.ts";
import type { Issue } from "../../../../../core/model/issue.ts";
import type { RehearsedCommand } from "../../../../../core/wire/commands.ts";
import { getCast } from "../../net/api.ts";
import { readReplies } from "./read-replies.ts";

/** The answers of a socket: as fields, or as the text of a rehearsal file. */
export type Answers =
  | { readonly kind: "fields"; readonly replies: readonly RehearsedReply[] }
  | { readonly kind: "text"; readonly text: string };

export interface SocketAnswers extends RehearsedSocket {
  readonly answers: Answers;
  readonly isChanged: boolean;
}

export interface Replies {
  readonly sockets: readonly SocketAnswers[];
  readonly items: string;
  readonly setItems: (items: string) => void;
  /** The cast that they are taken from; null where they are made up. */
  readonly from: string | null;
  readonly takeFrom: (castId: string | null) => void;
  readonly change: (socket: string, answers: Answers) => void;
  /** Why it cannot begin. */
  readonly fault: string | null;
  readonly issues: readonly Issue[];
  readonly given: () => RehearsedCommand["replies"];
}

type Past = Parameters<typeof repliesOfCast>[1] & { readonly castId: string };

export function useReplies(graph: Graph): Replies {
  const [items, setItems] = useState("2");
  const [past, setPast] = useState<Past | null>(null);
  const [changed, setChanged] = useState<Readonly<Record<string, Answers>>>({});
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const count = countOf(items);
  const base = useMemo(() => {
    const made = generatedReplies(graph, count);
    return past ? repliesOfCast(made, past) : made;
  }, [graph, count, past]);
  const sockets = base.map((each): SocketAnswers => {
    const own = changed[each.socket];
    return { ...each, answers: own ?? { kind: "fields", replies: each.replies }, isChanged: own !== undefined };
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
  const unread = sockets.find(({ answers }) => repliesIn(answers) === null);
  return {
    sockets,
    items,
    setItems,
    from: past?.castId ?? null,
    takeFrom: (castId) => void takeFrom(castId),
    change: (socket, answers) => setChanged({ ...changed, [socket]: answers }),
    fault: unread ? `The replies of ${unread.socket} cannot be read` : null,
    issues,
    given: () => Object.fromEntries(sockets.map(({ socket, answers }) => [socket, [...(repliesIn(answers) ?? [])]])),
  };
}

function repliesIn(answers: Answers): readonly RehearsedCommand["replies"][string][number][] | null {
  return answers.kind === "fields" ? answers.replies : readReplies(answers.text).replies;
}

function countOf(text: string): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= 0 && count <= 200 ? count : 2;
}
