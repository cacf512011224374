import { assertNever } from "../../model/values/never.ts";
import { sanitizeForTerminal, oneLine } from "../../model/values/text.ts";
import { nameText } from "../graph/words.ts";
import { fileCountsText } from "../tell/files.ts";
import { titleText } from "../tell/handed.ts";
import { shortCommit } from "../tell/items.ts";
import { padColumns } from "../text/columns.ts";
import { line, squeezeLine, toned, type Line, type Tone } from "../text/line.ts";
import type { ItemRow, ItemTable } from "./rows.ts";

export interface ItemTableOptions {
  /** Whether somebody drives the cast. */
  readonly alive: boolean;
  readonly width: number;
  /** Where the casts of items work, by their ids; only of those whose work lies there and nowhere else. */
  readonly trees: ReadonlyMap<string, string>;
  /** What agents left in their trees that no commit can hold, by the ids of their casts. */
  readonly aside: ReadonlyMap<string, readonly string[]>;
  /** [B12] The command that brings here what these lines name, where it is not here. */
  readonly fetch?: string;
}

/** [V21] One line for each item, and below what is not on the branch the commands that reach it. */
export function itemTableLines({ rows, waiting }: ItemTable, shown: ItemTableOptions): readonly Line[] {
  if (rows.length === 0) return [];
  const { alive, width, trees, aside, fetch } = shown;
  const ids = Math.max(...rows.map(({ child }) => child.length));
  const isAway = fetch !== undefined && (waiting !== null || rows.some((row) => itemAccessLines(row, trees).length > 0));
  return [
    [],
    line(toned("strong", "Items")),
    ...rows.flatMap((row) => [
      itemRowLine(row, { alive, width, ids }),
      ...itemAccessLines(row, trees),
      ...(aside.get(row.child) ?? []).map((place) => placeLine("set aside", place)),
    ]),
    ...(waiting
      ? [line(toned("rework", "What is merged is not on the branch yet:")), ...gitCommandLines(waiting.base, waiting.ref)]
      : []),
    ...(isAway ? [line(toned("dim", "These commits come here with "), toned("accent", sanitizeForTerminal(fetch)))] : []),
  ];
}

/** The id of its cast comes first and whole: it tells the item and the attempt, and is there to be copied. */
function itemRowLine(row: ItemRow, at: Pick<ItemTableOptions, "alive" | "width"> & { readonly ids: number }): Line {
  const [tone, mark, words] = itemStatusWords(row, at.alive);
  const told = [words, ...(row.files === null ? [] : [fileCountsText(row.files)])].join(" · ");
  // Where there is little room its title says more than who had it.
  const by = row.worker === undefined ? "" : `  on ${sanitizeForTerminal(row.worker)}`;
  const before = line(toned(tone, `${mark} `), `${padColumns(row.child, at.ids)}  `, toned(tone, `${told}  `));
  return squeezeLine({ before, long: toned("dim", `${titleText(row.title, 200)}${by}`), after: [] }, at.width);
}

function itemStatusWords(row: ItemRow, alive: boolean): readonly [Tone, string, string] {
  const { status, merged, conflicts } = row;
  switch (status) {
    case "running":
      return alive ? ["accent", "▸", "at work"] : ["rework", "‖", "stopped in the middle"];
    case "failed":
      return ["bad", "✗", "failed"];
    case "ended":
      return ["plain", "·", row.commit === null ? "worked out, no change" : "worked out, not merged"];
    case "conflicted":
    case "dropped":
      return ["bad", "✗", `left out: conflicts in ${conflictText(conflicts)}`];
    case "merged":
    case "joined":
      return mergedWords(row, shortCommit(merged ?? ""));
    default:
      return assertNever(status);
  }
}

function mergedWords({ gaveUp, commit }: ItemRow, at: string): readonly [Tone, string, string] {
  const words = commit === null ? "no change" : `merged as ${at}`;
  return gaveUp ? ["bad", "✗", `given up, ${words}`] : ["ok", "✓", words];
}

function conflictText([first = "no file", ...others]: readonly string[]): string {
  return `${oneLine(nameText(first), 60)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** Only what nobody finds on the branch needs a way to it. */
function itemAccessLines({ status, base, ref, child }: ItemRow, trees: ItemTableOptions["trees"]): readonly Line[] {
  const tree = trees.get(child);
  if (tree !== undefined) return [placeLine("its files", tree)];
  const isOut = status === "dropped" || status === "conflicted" || status === "ended";
  return isOut && ref !== null ? gitCommandLines(base, ref) : [];
}

function placeLine(what: string, place: string): Line {
  return line("      ", toned("dim", `${what}: `), toned("accent", sanitizeForTerminal(place)));
}

/** Whole, however wide: they are there to be copied. */
function gitCommandLines(base: string, ref: string): readonly Line[] {
  const from = shortCommit(base);
  return [`git diff ${from} ${ref}`, `git cherry-pick ${from}..${ref}`].map((command) =>
    line("      ", toned("accent", command)),
  );
}
