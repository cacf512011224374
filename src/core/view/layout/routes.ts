import type { Graph } from "../../compile/graph.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import { graphWays, type DrawnWay } from "../graph/drawn-ways.ts";
import type { DrawnLine, GeneratorLine } from "./drawing.ts";
import { END, type SocketId } from "../../model/ids.ts";
import { orderedBlocks, type GraphBlock } from "../../compile/reading-order.ts";

/** The cell of a socket or the end: rows go down, columns go to the right. */
export interface GridCell {
  readonly id: string;
  readonly row: number;
  readonly column: number;
}

export interface LoopSpan {
  readonly id: string;
  readonly first: { readonly row: number; readonly column: number };
  readonly last: { readonly row: number; readonly column: number };
}

export interface LayoutGrid {
  readonly rows: number;
  readonly columns: number;
  readonly cells: ReadonlyMap<string, GridCell>;
  /** In reading order. */
  readonly order: readonly SocketId[];
  readonly at: (row: number, column: number) => GridCell | undefined;
  /** The loop whose region covers a cell. */
  readonly loopAt: (row: number, column: number) => string | null;
  readonly loops: readonly LoopSpan[];
  readonly bands: readonly {
    readonly target: number;
    readonly name: string;
    readonly rows: readonly [number, number];
  }[];
}

/** The row of every socket: one row per rank; a loop is one block of rows. */
export function buildLayoutGrid(graph: Graph, hasEnd: boolean): LayoutGrid {
  const seats = placeBlocks(orderedBlocks(graph), hasEnd);
  const cells = new Map(seats.cells.map((cell) => [cell.id, cell]));
  const byPlace = new Map(seats.cells.map((cell) => [`${cell.row} ${cell.column}`, cell]));
  const rows = 1 + Math.max(-1, ...seats.cells.map((cell) => cell.row));
  const loopsByRow = Array.from({ length: rows }, (_, row) =>
    seats.loops.filter(({ first, last }) => first.row <= row && row <= last.row),
  );
  return {
    rows,
    columns: 1 + Math.max(0, ...seats.cells.map((cell) => cell.column)),
    cells,
    order: seats.cells.flatMap(({ id }) => (id === END ? [] : [id as SocketId])), // every other cell is a socket
    at: (row, column) => byPlace.get(`${row} ${column}`),
    loopAt: (row, column) =>
      loopsByRow[row]?.find(({ first, last }) => first.column <= column && column <= last.column)?.id ?? null,
    loops: seats.loops,
    bands: targetBandsOf(graph, cells),
  };
}

function placeBlocks(blocks: readonly GraphBlock[], hasEnd: boolean) {
  const cells: GridCell[] = [];
  const loops: LoopSpan[] = [];
  let row = 0;
  let height = 0;
  let column = 0;
  const nextRank = (): void => {
    [row, height, column] = [row + height, 0, 0];
  };
  const seatEnd = (): void => {
    nextRank();
    cells.push({ id: END, row, column: 0 });
    height = 1;
  };
  let ended = !hasEnd;
  for (const block of blocks) {
    if (!block.reached && !ended) {
      seatEnd();
      ended = true;
    }
    // A block without a neighbour begins a new rank.
    if (block.aside === 0) nextRank();
    let line = -1;
    let widest = 0;
    for (const { socket, aside } of block.rows) {
      if (aside === 0) line += 1;
      widest = Math.max(widest, aside);
      cells.push({ id: socket.id, row: row + Math.max(0, line), column: column + aside });
    }
    if (block.loop && block.rows.length > 0) {
      loops.push({
        id: block.loop.id,
        first: { row, column },
        last: { row: row + Math.max(0, line), column: column + widest },
      });
    }
    height = Math.max(height, line + 1);
    column += widest + 1;
  }
  if (!ended) seatEnd();
  return { cells, loops };
}

/** The rows of each target of a chain. */
function targetBandsOf(graph: Graph, cells: ReadonlyMap<string, GridCell>): LayoutGrid["bands"] {
  const targets = Map.groupBy(Object.values(graph.sockets), (socket) => socket.origin.target);
  if (targets.size < 2) return [];
  return [...targets]
    .toSorted(([a], [b]) => a - b)
    .map(([target, sockets]) => {
      const rows = sockets.flatMap((socket) => cells.get(socket.id)?.row ?? []);
      return { target, name: sockets[0]?.origin.name ?? "", rows: [Math.min(...rows), Math.max(...rows)] as const };
    });
}

export type RouteSide = "left" | "right";

/** The course of a way over the grid, before positions in pixels. */
export type EdgeRoute =
  /** Straight down the main column. */
  | { readonly kind: "direct"; readonly way: DrawnWay; readonly from: GridCell; readonly to: GridCell }
  /** To the right, then down to a socket of another column. */
  | { readonly kind: "over"; readonly way: DrawnWay; readonly from: GridCell; readonly to: GridCell }
  /** Down from a socket of another column, then left into the main column. */
  | { readonly kind: "into"; readonly way: DrawnWay; readonly from: GridCell; readonly to: GridCell }
  | LaneRoute
  | { readonly kind: "items"; readonly way: GeneratorLine; readonly from: GridCell; readonly loop: LoopSpan };

/** Around the side of both sockets; distant sockets have two lanes, joined by a track in the gap `track`. */
export interface LaneRoute {
  readonly kind: "lane";
  readonly way: DrawnWay;
  readonly from: GridCell;
  readonly to: GridCell;
  readonly leaves: RouteSide;
  readonly enters: RouteSide;
  readonly track: number | null;
  /** The loop that contains the whole way. */
  readonly inside: string | null;
}

/** Every drawn way of the graph, sockets in reading order. */
export function drawnLinesOf(graph: Graph): readonly DrawnLine[] {
  const ways = graphWays(graph);
  const isDrawable = (way: DrawnWay): boolean => Object.hasOwn(graph.sockets, way.from) || way.to === "end";
  const loops = Object.values(graph.loops);
  return [
    ...Object.values(graph.sockets).flatMap((socket) => ways.ofSocket(socket)),
    ...loops.flatMap((loop) => ways.ofLoop(loop)),
    ...loops.flatMap((loop): readonly GeneratorLine[] =>
      loop.from === null ? [] : [{ id: `items:${loop.id}`, via: "items", from: loop.from, loop: loop.id }],
    ),
  ].filter((way) => way.via === "items" || isDrawable(way));
}

export function planRoutes(ways: readonly DrawnLine[], grid: LayoutGrid): readonly EdgeRoute[] {
  const taken: ClaimedEnds = { tops: new Set(), bottoms: new Set() };
  // Straight ways come first: they need the top and the bottom of sockets alone.
  const straight = new Map(ways.map((way) => [way, way.via === "items" ? undefined : straightRoute(way, grid, taken)]));
  return ways.flatMap((way): readonly EdgeRoute[] => {
    if (way.via === "items") return itemsRoute(way, grid);
    const route = straight.get(way) ?? elbowRoute(way, grid, taken) ?? laneRoute(way, grid);
    return route ? [route] : [];
  });
}

/** From 1; null if the way is no stitch of the chain. */
export function stitchNumber(way: DrawnLine, stitches: readonly Stitch[]): number | null {
  if (way.via === "items") return null;
  const index = stitches.findIndex(({ from, to }) => from === way.from && to === way.to);
  return index === -1 ? null : index + 1;
}

interface ClaimedEnds {
  readonly tops: Set<string>;
  readonly bottoms: Set<string>;
}

function endCellsOf(way: DrawnWay, grid: LayoutGrid): { readonly from: GridCell; readonly to: GridCell } | undefined {
  const [from, to] = [grid.cells.get(way.from), grid.cells.get(way.to)];
  return from && to ? { from, to } : undefined;
}

function straightRoute(way: DrawnWay, grid: LayoutGrid, taken: ClaimedEnds): EdgeRoute | undefined {
  const ends = endCellsOf(way, grid);
  if (!ends) return undefined;
  const { from, to } = ends;
  if (from.column !== to.column || to.row <= from.row) return undefined;
  if (!isAreaClear(grid, { rows: [from.row + 1, to.row - 1], columns: [from.column, from.column] })) return undefined;
  return claimEnds(taken, from, to) ? { kind: "direct", way, from, to } : undefined;
}

function claimEnds({ tops, bottoms }: ClaimedEnds, from: GridCell, to: GridCell): boolean {
  if (tops.has(to.id) || bottoms.has(from.id)) return false;
  tops.add(to.id);
  bottoms.add(from.id);
  return true;
}

function elbowRoute(way: DrawnWay, grid: LayoutGrid, { tops, bottoms }: ClaimedEnds): EdgeRoute | undefined {
  const ends = endCellsOf(way, grid);
  if (!ends || ends.to.row <= ends.from.row || way.to === "end") return undefined;
  const { from, to } = ends;
  const [first, last] = [from.row, to.row];
  if (to.column > from.column && !tops.has(to.id)) {
    const free =
      isAreaClear(grid, { rows: [first, first], columns: [from.column + 1, to.column] }) &&
      isAreaClear(grid, { rows: [first, last - 1], columns: [to.column, to.column] });
    if (!free) return undefined;
    tops.add(to.id);
    return { kind: "over", way, from, to };
  }
  if (to.column < from.column && !bottoms.has(from.id)) {
    const free =
      isAreaClear(grid, { rows: [last, last], columns: [to.column + 1, from.column] }) &&
      isAreaClear(grid, { rows: [first + 1, last], columns: [from.column, from.column] });
    if (!free) return undefined;
    bottoms.add(from.id);
    return { kind: "into", way, from, to };
  }
  return undefined;
}

/** Whether no socket and no region is there. */
function isAreaClear(
  grid: LayoutGrid,
  { rows, columns }: { readonly rows: readonly [number, number]; readonly columns: readonly [number, number] },
): boolean {
  for (let row = rows[0]; row <= rows[1]; row += 1) {
    for (let column = columns[0]; column <= columns[1]; column += 1) {
      if (grid.at(row, column) || grid.loopAt(row, column) !== null) return false;
    }
  }
  return true;
}

function laneRoute(way: DrawnWay, grid: LayoutGrid): LaneRoute | undefined {
  const ends = endCellsOf(way, grid);
  if (!ends) return undefined;
  const { from, to } = ends;
  const loop = grid.loopAt(from.row, from.column);
  const inside = way.via === "edge" && way.to !== "end" && loop === grid.loopAt(to.row, to.column) ? loop : null;
  const sides = chooseSides(way, from, to);
  const apart = Math.abs(from.column - to.column) > 1;
  const track = apart ? (to.row > from.row ? to.row : Math.min(to.row + 1, grid.rows)) : null;
  return { kind: "lane", way, from, to, ...sides, track, inside };
}

/** Returns run on the left; rework and ways that skip rows run on the right; between columns the shortest way. */
function chooseSides(
  way: DrawnWay,
  from: GridCell,
  to: GridCell,
): { readonly leaves: RouteSide; readonly enters: RouteSide } {
  if (from.column < to.column) return { leaves: "right", enters: "left" };
  if (from.column > to.column) return { leaves: "left", enters: "right" };
  const returns = to.row <= from.row && way.when !== "not_satisfied";
  return returns ? { leaves: "left", enters: "left" } : { leaves: "right", enters: "right" };
}

function itemsRoute(way: GeneratorLine, grid: LayoutGrid): readonly EdgeRoute[] {
  const from = grid.cells.get(way.from);
  const loop = grid.loops.find(({ id }) => id === way.loop);
  if (!from || !loop || from.row >= loop.first.row) return [];
  // A generator beside the columns of its loop has no lane to it; its badge and the head of the loop show the link.
  if (from.column < loop.first.column || from.column > loop.last.column) return [];
  return [{ kind: "items", way, from, loop }];
}
