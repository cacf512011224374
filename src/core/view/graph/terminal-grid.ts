import { materiaOf, type Graph, type GraphSocket } from "../../compile/graph.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import { END } from "../../model/ids.ts";
import { isGate } from "../../model/materia.ts";
import { oneLine, countedText } from "../../model/text.ts";
import { orderedBlocks, type GraphBlock, type OrderedSocket } from "../../compile/reading-order.ts";
import { graphWays, stitchNumber, traversalLimitText, type DrawnWay, type GraphWays } from "./drawn-ways.ts";
import { loopText, nameText, iconOf, destinationText, worstCaseText } from "./labels.ts";
import {
  columnsOf,
  padColumns,
  wrapColumns,
  DEFAULT_WIDTH,
  fitLine,
  line,
  lineColumns,
  shortenToFit,
  toned,
  type Line,
  type Span,
} from "../line.ts";
import type { WorstCase } from "../../compile/worst-case.ts";

export interface GridOptions {
  readonly width?: number;
  readonly worst?: WorstCase;
  /** The stitches of a chain, each with its reason. */
  readonly stitches?: readonly Stitch[];
}

/** [C18] The graph in characters: ways on lead down, and a loop is a block with its exits at the bottom. */
export function gridLines(
  graph: Graph,
  { width = DEFAULT_WIDTH, worst, stitches = [] }: GridOptions = {},
): readonly Line[] {
  const blocks = orderedBlocks(graph);
  const rows = blocks.flatMap((block) => block.rows);
  const [reached, lost] = [blocks.filter((block) => block.reached), blocks.filter((block) => !block.reached)];
  const drawing: GridContext = {
    graph,
    ways: graphWays(graph),
    width,
    stitches,
    position: new Map(rows.map(({ socket }, index) => [socket.id, index])),
    isChain: blocks.some(({ target }) => target > 1),
    nameColumns: blocks.reduce((most, block) => Math.min(30, Math.max(most, blockNameColumns(block))), 0),
  };
  const body = [
    ...reached.flatMap((block, index) => [
      ...bandLinesBefore(drawing, block, reached[index - 1]),
      ...blockLines(drawing, block),
    ]),
    ...(rows.length === 0 ? [] : [line(toned("dim", "○ end"))]),
    ...(lost.length === 0 ? [] : [[], line(toned("rework", "Not reached from the entry:"))]),
    ...lost.flatMap((block) => blockLines(drawing, block)),
  ];
  const lines = [headLine(graph), [], ...body, ...stitchLines(drawing), ...worstLines(graph, worst, width)];
  return lines.map((each) => fitLine(each, width));
}

interface GridContext {
  readonly graph: Graph;
  readonly ways: GraphWays;
  readonly width: number;
  readonly stitches: readonly Stitch[];
  readonly position: ReadonlyMap<string, number>;
  readonly isChain: boolean;
  /** The column where names end, so that all ids are aligned. */
  readonly nameColumns: number;
}

function blockNameColumns({ loop, rows, aside: beside }: GraphBlock): number {
  const inner = lineColumns(railPrefix(beside)) + (loop ? "┃ ".length : 0);
  const columns = rows.map(
    ({ socket, aside }) => inner + lineColumns(railPrefix(aside)) + columnsOf(nameText(socket.materia)),
  );
  return Math.max(0, ...columns);
}

function headLine(graph: Graph): Line {
  const sockets = Object.keys(graph.sockets).length;
  const loops = Object.keys(graph.loops).length;
  const counts = sockets === 0 ? "no sockets" : countedText(sockets, "socket");
  const looped = loops === 0 ? "" : `, ${countedText(loops, "loop")}`;
  return line(toned("strong", nameText(graph.name)), toned("dim", ` · ${counts}${looped}`));
}

function bandLinesBefore({ isChain }: GridContext, block: GraphBlock, before: GraphBlock | undefined): readonly Line[] {
  if (block.target === before?.target || !isChain) return [];
  return [line(toned("accent", `── ${block.target} · ${nameText(block.rows[0]?.socket.origin.name ?? "")}`))];
}

function blockLines(drawing: GridContext, { loop, rows, aside }: GraphBlock): readonly Line[] {
  const rail = railPrefix(aside);
  if (!loop) return rows.flatMap((row) => rowLines(drawing, row, rail));
  const exits = drawing.ways.ofLoop(loop);
  return [
    line(...rail, toned("dim", "┏ "), toned("strong", loopText(drawing.graph, loop))),
    ...rows.flatMap((row) => rowLines(drawing, row, [...rail, toned("dim", "┃ "), ...railPrefix(row.aside)])),
    ...exits.map((way, index) =>
      wayLine(drawing, way, line(...rail, toned("dim", index === exits.length - 1 ? "┗ " : "┃ "))),
    ),
    ...(exits.length === 0 ? [line(...rail, toned("dim", "┗"))] : []),
  ];
}

/** Branches beside the main column: more than three would leave no room for text. */
function railPrefix(aside: number): Line {
  return line(toned("dim", "│ ".repeat(Math.min(aside, 3))));
}

function rowLines(drawing: GridContext, { socket }: OrderedSocket, rail: Line): readonly Line[] {
  const below = line(...rail, toned("dim", "│ "));
  return [
    socketLine(drawing, socket, rail),
    ...drawing.ways.ofSocket(socket).map((way) => wayLine(drawing, way, below)),
  ];
}

function socketLine(drawing: GridContext, socket: GraphSocket, rail: Line): Line {
  const { graph, nameColumns, width } = drawing;
  const before = line(...rail, `${iconOf(graph, socket)} `);
  const badges = badgesOf(drawing, socket).flatMap((badge) => [toned("dim", " · "), badge]);
  const after = line("  ", toned("dim", nameText(socket.id)), ...badges);
  const long = toned("strong", padColumns(nameText(socket.materia), nameColumns - lineColumns(rail)));
  return shortenToFit({ before, long, after }, width);
}

function badgesOf({ graph, isChain }: GridContext, socket: GraphSocket): readonly Span[] {
  const materia = materiaOf(graph, socket);
  const { label } = materia;
  const named = label === undefined || label === socket.materia ? [] : [toned("dim", `“${oneLine(label, 40)}”`)];
  return [
    ...(socket.id === graph.entry ? [toned("accent", "entry")] : []),
    ...(socket.generator ? [toned("plain", "Generator")] : []),
    ...(socket.interactive ? [toned("wait", "Interactive")] : []),
    ...(materia.type === "person" ? [toned("wait", "Person")] : isGate(materia) ? [toned("plain", "Gate")] : []),
    ...(socket.parse === "json" && !socket.generator && !isGate(materia) ? [toned("plain", "json")] : []),
    // Shown only if the socket overrides its materia.
    ...(socket.parse === "text" && "parse" in materia && materia.parse === "json" ? [toned("plain", "text")] : []),
    ...(socket.advance === null
      ? []
      : [toned("plain", socket.advance === "always" ? "advance" : `advance when ${socket.advance.replace("_", " ")}`)]),
    ...(isChain && socket.origin.kind === "loadout" && socket.origin.socket !== socket.id
      ? [toned("dim", `was ${nameText(socket.origin.socket)}`)]
      : []),
    ...named,
  ];
}

function wayLine({ graph, width, stitches, position }: GridContext, way: DrawnWay, before: Line): Line {
  const stitch = stitchNumber(way, stitches);
  const labels = [stitch === null ? "" : `stitch ${stitch}`, way.label].filter((text) => text !== "").join(" · ");
  const tone = stitch === null ? way.tone : "accent";
  const limit = traversalLimitText(way);
  const counted = limit === "" ? "" : `, ${limit}`;
  const returns = way.to !== END && (position.get(way.to) ?? Infinity) <= (position.get(way.from) ?? 0);
  const start = line(...before, toned(tone, labels === "" ? "→ " : `${labels} → `));
  const after = line(counted, toned("dim", returns ? " ↑" : ""));
  return shortenToFit({ before: start, long: toned("plain", destinationText(graph, way.to)), after }, width);
}

function stitchLines({ graph, stitches, width }: GridContext): readonly Line[] {
  if (stitches.length === 0) return [];
  const lines = stitches.flatMap(({ from, to, reason }, index) => [
    line(toned("accent", `Stitch ${index + 1}: `), `${destinationText(graph, from)} → ${destinationText(graph, to)}`),
    ...wrapColumns(oneLine(reason, 1_000), width - 2).map((text) => line("  ", toned("dim", text))),
  ]);
  return [[], ...lines];
}

function worstLines(graph: Graph, worst: WorstCase | undefined, width: number): readonly Line[] {
  if (!worst || Object.keys(graph.sockets).length === 0) return [];
  const text = worstCaseText(graph, worst);
  return [[], ...wrapColumns(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`, width).map((each) => line(each))];
}
