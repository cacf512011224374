import { type Graph, type GraphSocket, materiaOf, socketsOf } from "../compile/graph.ts";
import type { Rehearsal } from "../model/rehearsal.ts";
import { didYouMean, oneLine } from "../model/text.ts";

export interface RehearsalUsage {
  readonly replies: Rehearsal["replies"];
  readonly taken: ReadonlyMap<string, number>;
  readonly calls: readonly RehearsedCall[];
}

export interface RehearsedCall {
  readonly key: string;
  readonly socket: string;
  readonly reply: number;
  readonly name: string;
  readonly failed: boolean;
  readonly mayFail: boolean;
  readonly said: string;
}

export interface RehearsalMistake {
  readonly what: "key" | "left over" | "tool";
  readonly at: string;
  readonly message: string;
}

/** [T4] Keys that no turn can use. */
export function findUnknownReplyKeys(
  { replies }: Pick<RehearsalUsage, "replies">,
  graph: Graph,
): readonly RehearsalMistake[] {
  const namesOf = (sockets: readonly GraphSocket[]) =>
    new Set<string>(sockets.flatMap(({ id, materia }) => [id, materia]));
  const names = namesOf(socketsOf(graph));
  const asked = namesOf(socketsOf(graph).filter((socket) => materiaOf(graph, socket).type !== "utility"));
  return Object.keys(replies).flatMap((key): readonly RehearsalMistake[] => {
    const base = key.replace(/@WI-\d+(?:\.\d+)?$/, "");
    const slip = (message: string): readonly RehearsalMistake[] => [{ what: "key", at: key, message }];
    if (asked.has(base)) return [];
    if (names.has(base)) return slip(`"${oneLine(key, 80)}" is a program, which really runs: it takes no replies`);
    const meant = didYouMean(base, asked);
    const hint = meant === undefined ? "" : `; ${meant}`;
    return slip(`"${oneLine(key, 80)}" is neither a materia nor a socket of ${graph.name}${hint}`);
  });
}

/** [T5] Unused replies, and calls whose outcome differs from the expected one. */
export function findRehearsalMistakes(played: RehearsalUsage, graph: Graph): readonly RehearsalMistake[] {
  const unknown = new Set(findUnknownReplyKeys(played, graph).map(({ at }) => at));
  const left = Object.entries(played.replies).flatMap(([key, own]): readonly RehearsalMistake[] => {
    const more = own.length - (played.taken.get(key) ?? 0);
    if (more <= 0 || unknown.has(key)) return [];
    const words =
      more === own.length ? "none of them was asked for" : `the last ${more} of ${own.length} were not asked for`;
    return [{ what: "left over", at: key, message: `replies left over under "${oneLine(key, 80)}": ${words}` }];
  });
  return [...left, ...played.calls.flatMap(toolCallMistakes)];
}

function toolCallMistakes(call: RehearsedCall): readonly RehearsalMistake[] {
  const { key, socket, reply, name, failed, mayFail, said } = call;
  if (failed === mayFail) return [];
  const at = `${key}[${reply}]`;
  const place = `reply ${reply + 1} of "${oneLine(key, 80)}" (${socket})`;
  const message = failed
    ? `the tool "${oneLine(name, 60)}" failed in ${place}: ${oneLine(said, 300)}; where that is meant, say "fails": true`
    : `the tool "${oneLine(name, 60)}" was meant to fail in ${place}, and did not`;
  return [{ what: "tool", at, message }];
}
