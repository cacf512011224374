import { useMemo, useState } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import {
  generateReplies,
  repliesFromCast,
  type RehearsedReply,
  type SocketReplies,
} from "../../../core/edit/rehearsal-replies.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { RehearsalRequest } from "../../../core/wire/commands.ts";
import { getCast } from "../net/api.ts";
import { parseJsonc } from "../../../core/edit/json-edit.ts";
import { ScriptedReply } from "../../../core/model/rehearsal.ts";
import * as v from "valibot";

/** The replies of a socket: as fields, or as the text of a rehearsal file. */
export type ReplyDraft =
  | { readonly kind: "fields"; readonly replies: readonly RehearsedReply[] }
  | { readonly kind: "text"; readonly text: string };

export interface SocketReplyDraft extends SocketReplies {
  readonly draft: ReplyDraft;
  readonly isChanged: boolean;
}

export interface RehearsalReplies {
  readonly sockets: readonly SocketReplyDraft[];
  readonly items: string;
  readonly setItems: (items: string) => void;
  /** The cast that the replies come from; null for generated ones. */
  readonly sourceCastId: string | null;
  readonly loadFromCast: (castId: string | null) => void;
  readonly change: (socket: string, answers: ReplyDraft) => void;
  /** Why the rehearsal cannot start. */
  readonly fault: string | null;
  readonly issues: readonly Issue[];
  readonly buildReplies: () => RehearsalRequest["replies"];
}

type EarlierCast = Parameters<typeof repliesFromCast>[1] & { readonly castId: string };

export function useRehearsalReplies(graph: Graph): RehearsalReplies {
  const [items, setItems] = useState("2");
  const [past, setPast] = useState<EarlierCast | null>(null);
  const [changed, setChanged] = useState<Readonly<Record<string, ReplyDraft>>>({});
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const count = parseItemCount(items);
  const base = useMemo(() => {
    const made = generateReplies(graph, count);
    return past ? repliesFromCast(made, past) : made;
  }, [graph, count, past]);
  const sockets = base.map((each): SocketReplyDraft => {
    const own = changed[each.socket];
    return { ...each, draft: own ?? { kind: "fields", replies: each.replies }, isChanged: own !== undefined };
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
  const unread = sockets.find(({ draft: answers }) => repliesOf(answers) === null);
  return {
    sockets,
    items,
    setItems,
    sourceCastId: past?.castId ?? null,
    loadFromCast: (castId) => void takeFrom(castId),
    change: (socket, answers) => setChanged({ ...changed, [socket]: answers }),
    fault: unread ? `The replies of ${unread.socket} cannot be read` : null,
    issues,
    buildReplies: () =>
      Object.fromEntries(sockets.map(({ socket, draft: answers }) => [socket, [...(repliesOf(answers) ?? [])]])),
  };
}

function repliesOf(answers: ReplyDraft): readonly RehearsalRequest["replies"][string][number][] | null {
  return answers.kind === "fields" ? answers.replies : parseReplies(answers.text).replies;
}

function parseItemCount(text: string): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= 0 && count <= 200 ? count : 2;
}

/** Typed replies: one per line as JSON, a JSON list, or plain text as one reply. */
export function parseReplies(text: string): {
  readonly replies: v.InferInput<typeof ScriptedReply>[] | null;
  readonly fault: string | null;
} {
  const trimmed = text.trim();
  if (trimmed === "") return { replies: [], fault: null };
  if (!/^[[{]/.test(trimmed)) return { replies: [{ text: trimmed }], fault: null };
  const whole = parseJsonc(trimmed);
  const list = whole.ok
    ? Array.isArray(whole.value.value)
      ? whole.value.value
      : [whole.value.value]
    : trimmed.split("\n").map((line) => {
        const read = parseJsonc(line);
        return read.ok ? read.value.value : undefined;
      });
  const bad = list.findIndex((reply: unknown) => !v.is(ScriptedReply, reply));
  if (bad === -1) return { replies: list as v.InferInput<typeof ScriptedReply>[], fault: null }; // each was checked above
  const hint = 'write { "text": "…" } or { "json": { … } }, one reply per line';
  return { replies: null, fault: `Reply ${bad + 1} cannot be read; ${hint}.` };
}
