import type { Edge, Loadout } from "../model/loadout.ts";
import { conditionText } from "../view/graph/labels.ts";
import { socketToJson } from "./loadout-draft.ts";
import { oneLine } from "../model/text.ts";
import { getLocation } from "jsonc-parser";
import { diffLines, type DiffLine, diffWords, type DiffPiece } from "../model/diff.ts";

export interface LoadoutChange {
  readonly kind: "added" | "removed" | "changed";
  readonly what: "socket" | "edge" | "loop" | "exit" | "loadout";
  /** The socket or loop; empty for the loadout itself. */
  readonly at: string;
  readonly text: string;
}

type LoadoutFact = Omit<LoadoutChange, "kind">;

/** [E17] The differences between two loadouts, without positions on the canvas. */
export function compareLoadouts(before: Loadout, after: Loadout): readonly LoadoutChange[] {
  const [old, now] = [new Map(factsOf(before)), new Map(factsOf(after))];
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((key): readonly LoadoutChange[] => {
    const [was, is] = [old.get(key), now.get(key)];
    if (was && is) return was.text === is.text ? [] : [{ ...is, kind: "changed", text: `${was.text}, now ${is.text}` }];
    const fact = is ?? was;
    return fact ? [{ ...fact, kind: is ? "added" : "removed" }] : [];
  });
  const kept = (facts: typeof old, others: typeof old): string =>
    [...facts.keys()].filter((key) => others.has(key)).join();
  if (kept(old, now) === kept(now, old)) return changes;
  return [...changes, { kind: "changed", what: "loadout", at: "", text: "sockets or edges in another order" }];
}

/** Everything that can differ, one fact each, under a key that is the same in both loadouts. */
function* factsOf({ entry, description, sockets, loops }: Loadout): Generator<[key: string, fact: LoadoutFact]> {
  yield ["entry", { what: "loadout", at: "", text: `entry ${entry}` }];
  if (description !== undefined)
    yield ["description", { what: "loadout", at: "", text: `description “${oneLine(description, 60)}”` }];
  for (const [at, socket] of Object.entries(sockets)) {
    yield [`socket ${at}`, { what: "socket", at, text: `${at} ${socket.materia}` }];
    for (const [field, value] of Object.entries(socketToJson({ ...socket, edges: [] })))
      if (field !== "materia")
        yield [
          `socket ${at} ${field}`,
          { what: "socket", at, text: `${at} ${field} ${typeof value === "string" ? value : JSON.stringify(value)}` },
        ];
    // A socket may have several edges with one condition.
    for (const [when, edges] of Map.groupBy(socket.edges, (edge) => edge.when))
      for (const [index, edge] of edges.entries())
        yield [`edge ${at} ${when} ${index}`, { what: "edge", at, text: `${at} ${edgeText(edge)}` }];
  }
  for (const [at, { sockets: members, consumes, label, parallel, exits }] of Object.entries(loops)) {
    yield [`loop ${at}`, { what: "loop", at, text: `loop ${at}: ${members.join(", ")}` }];
    if (consumes) yield [`loop ${at} consumes`, { what: "loop", at, text: `loop ${at} consumes ${consumes.from}` }];
    if (label !== undefined) yield [`loop ${at} label`, { what: "loop", at, text: `loop ${at} label ${label}` }];
    if (parallel !== undefined)
      yield [`loop ${at} parallel`, { what: "loop", at, text: `loop ${at} runs ${parallel} items at once` }];
    for (const { id, from, condition, targetSocketId: to } of exits)
      yield [
        `exit ${at} ${id}`,
        { what: "exit", at, text: `exit of ${at}: ${from} ${conditionText(condition)} → ${to}` },
      ];
  }
}

function edgeText({ when, to, maxTraversals, then }: Edge): string {
  const limit = maxTraversals === undefined ? "" : `, up to ${maxTraversals}`;
  return `${conditionText(when)} → ${to}${limit}${then === undefined ? "" : `, then ${then}`}`;
}

export interface HighlightedLine extends DiffLine {
  readonly pieces: readonly DiffPiece[];
}

/** The changed lines of one part: a socket, a loop, a field. */
export interface DiffBlock {
  /** `loadouts`, `Mine`, `sockets`, `Socket-2`; empty for the file itself. */
  readonly path: readonly string[];
  readonly lines: readonly HighlightedLine[];
}

const CONTEXT_LINES = 2;
/** The levels of a part: the kind, its name, a section, and an entry of it. */
const MAX_PATH_DEPTH = 4;

/** [E15] The differences between two JSON texts, one part per block. */
export function diffBlocks(before: string, after: string): readonly DiffBlock[] {
  const lines = withWordDiffs(withoutCommas(diffLines(before, after)));
  const paths = lines.map((line) => jsonPathOfLine(line, line.kind === "gone" ? before : after));
  const keys = paths.map((path) => path.join("\n"));
  // A line beside a change of the same part is shown with it.
  const isShown = lines.map((_, index) => {
    const first = Math.max(0, index - CONTEXT_LINES);
    const near = lines.slice(first, index + CONTEXT_LINES + 1);
    return near.some(({ kind }, at) => kind !== "same" && keys[first + at] === keys[index]);
  });
  const blocks: { path: readonly string[]; lines: HighlightedLine[] }[] = [];
  lines.forEach((line, index) => {
    if (!isShown[index]) return;
    if (isShown[index - 1] && keys[index - 1] === keys[index]) blocks.at(-1)?.lines.push(line);
    else blocks.push({ path: paths[index] ?? [], lines: [line] });
  });
  return blocks.filter((block) => block.lines.some(({ kind }) => kind !== "same"));
}

/** A comma for the next line is no change of this line. */
function withoutCommas(lines: readonly DiffLine[]): readonly DiffLine[] {
  const bare = ({ text }: DiffLine): string => text.replace(/,\s*$/, "");
  return lines.flatMap((line, index): readonly DiffLine[] => {
    const [last, next] = [lines[index - 1], lines[index + 1]];
    if (line.kind === "gone" && next?.kind === "new" && bare(line) === bare(next)) return [];
    if (line.kind === "new" && last?.kind === "gone" && bare(last) === bare(line)) return [{ ...line, kind: "same" }];
    return [line];
  });
}

export function withWordDiffs(lines: readonly DiffLine[]): readonly HighlightedLine[] {
  const pieces = lines.map(({ text }): readonly DiffPiece[] => [{ text, isMarked: false }]);
  for (let at = 0; at < lines.length; at += 1) {
    const gone = runLength(lines, at, "gone");
    const fresh = runLength(lines, at + gone, "new");
    for (let old = at; old < at + Math.min(gone, fresh); old += 1) {
      const { before, after } = diffWords(lines[old]?.text ?? "", lines[old + gone]?.text ?? "");
      [pieces[old], pieces[old + gone]] = [before, after];
    }
    at += Math.max(0, gone + fresh - 1);
  }
  return lines.map((line, index) => ({ ...line, pieces: pieces[index] ?? [] }));
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length += 1;
  return length;
}

/** What the first word of a line belongs to. */
function jsonPathOfLine({ number, text }: DiffLine, whole: string): readonly string[] {
  const above = whole.split("\n").slice(0, number - 1);
  const start = above.reduce((length, line) => length + line.length + 1, 0);
  const path = getLocation(whole, start + Math.max(0, text.search(/[^\s}\],]/)) + 1).path.map(String);
  return path.slice(0, path[2] === "sockets" || path[2] === "loops" ? MAX_PATH_DEPTH : 3);
}
