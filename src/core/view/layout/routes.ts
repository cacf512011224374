import type { Graph, GraphLoop } from "../../compile/graph.ts";
import { graphWays, type DrawnWay } from "../graph/drawn-ways.ts";
import { END } from "../../model/ids.ts";
import { orderedBlocks, type GraphBlock } from "../../compile/reading-order.ts";

/** The cell of a socket or the end: rows go down, columns go to the right. */
export interface GridCell {
  readonly id: string;
  readonly row: number;
  readonly column: number;
}

type GridPosition = Omit<GridCell, "id">;

export interface LoopSpan {
  readonly id: string;
  readonly first: GridPosition;
  readonly last: GridPosition;
}

export type LayoutGrid = ReturnType<typeof buildLayoutGrid>;

/** The row of every socket: one row per rank; a loop is one block of rows. */
export function buildLayoutGrid(graph: Graph, hasEnd: boolean) {
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
    /** In reading order. */
    cells,
    at: (row: number, column: number) => byPlace.get(`${row} ${column}`),
    /** The loop whose region covers a cell. */
    loopAt: (row: number, column: number): string | null =>
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
  const place = ({ aside, rows, loop }: GraphBlock): void => {
    // A block without a neighbour begins a new rank.
    if (aside === 0) nextRank();
    let line = -1;
    let widest = 0;
    for (const { socket, aside: beside } of rows) {
      if (beside === 0) line += 1;
      widest = Math.max(widest, beside);
      cells.push({ id: socket.id, row: row + Math.max(0, line), column: column + beside });
    }
    if (loop && rows.length > 0) {
      const last = { row: row + Math.max(0, line), column: column + widest };
      loops.push({ id: loop.id, first: { row, column }, last });
    }
    height = Math.max(height, line + 1);
    column += widest + 1;
  };
  const [reached, lost] = [blocks.filter((block) => block.reached), blocks.filter((block) => !block.reached)];
  reached.forEach(place);
  if (hasEnd) {
    nextRank();
    cells.push({ id: END, row, column: 0 });
    height = 1;
  }
  lost.forEach(place);
  return { cells, loops };
}

function targetBandsOf(graph: Graph, cells: ReadonlyMap<string, GridCell>) {
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

/** A way with its cells; that of a generator leads to the first member of the loop. */
interface WayOnGrid {
  readonly way: DrawnWay;
  readonly from: GridCell;
  readonly to: GridCell;
}

/**
 * The course of a way over the grid, before positions in pixels: `direct` down the main column, `over` to the right and
 * down to a socket of another column, `into` down from there and left into the main column.
 */
export type EdgeRoute =
  | (WayOnGrid & { readonly kind: "direct" | "over" | "into" })
  | LaneRoute
  | (WayOnGrid & { readonly kind: "items"; readonly loop: LoopSpan });

/** Around the side of both sockets; distant sockets have two lanes, joined by a track in the gap `track`. */
export interface LaneRoute extends WayOnGrid {
  readonly kind: "lane";
  readonly leaves: RouteSide;
  readonly enters: RouteSide;
  readonly track: number | null;
  /** The loop that contains the whole way. */
  readonly inside: string | null;
}

export function drawnLinesOf(graph: Graph): readonly DrawnWay[] {
  const ways = graphWays(graph);
  const loops = Object.values(graph.loops);
  const drawable = [...Object.values(graph.sockets).flatMap(ways.ofSocket), ...loops.flatMap(ways.ofLoop)].filter(
    (way) => Object.hasOwn(graph.sockets, way.from) || way.to === END,
  );
  return [...drawable, ...loops.flatMap((loop) => generatorLine(graph, loop))];
}

function generatorLine(graph: Graph, { id: loop, from, sockets }: GraphLoop): readonly DrawnWay[] {
  const to = sockets.find((id) => Object.hasOwn(graph.sockets, id));
  if (from === null || to === undefined) return [];
  return [{ id: `items:${loop}`, via: "items", when: null, label: "work items", tone: "dim", from, to, loop }];
}

export function planRoutes(ways: readonly DrawnWay[], grid: LayoutGrid): readonly EdgeRoute[] {
  const taken: ClaimedEnds = { tops: new Set(), bottoms: new Set() };
  const shown = ways.flatMap((way): readonly WayOnGrid[] => {
    const [from, to] = [grid.cells.get(way.from), grid.cells.get(way.to)];
    return from && to ? [{ way, from, to }] : [];
  });
  // Straight ways come first: they need the top and the bottom of sockets alone.
  const straight = new Map(shown.map((each) => [each, straightRoute(each, grid, taken)]));
  return shown.flatMap((each) =>
    each.way.via === "items"
      ? itemsRoute(each, grid)
      : (straight.get(each) ?? elbowRoute(each, grid, taken) ?? laneRoute(each, grid)),
  );
}

interface ClaimedEnds {
  readonly tops: Set<string>;
  readonly bottoms: Set<string>;
}

function straightRoute(at: WayOnGrid, grid: LayoutGrid, taken: ClaimedEnds): EdgeRoute | undefined {
  const { way, from, to } = at;
  if (way.via === "items" || from.column !== to.column || to.row <= from.row) return undefined;
  if (!isAreaClear(grid, { rows: [from.row + 1, to.row - 1], columns: [from.column, from.column] })) return undefined;
  return claimEnds(taken, from, to) ? { ...at, kind: "direct" } : undefined;
}

function claimEnds({ tops, bottoms }: ClaimedEnds, from: GridCell, to: GridCell): boolean {
  if (tops.has(to.id) || bottoms.has(from.id)) return false;
  tops.add(to.id);
  bottoms.add(from.id);
  return true;
}

function elbowRoute(at: WayOnGrid, grid: LayoutGrid, { tops, bottoms }: ClaimedEnds): EdgeRoute | undefined {
  const { from, to } = at;
  const [first, last] = [from.row, to.row];
  if (last <= first || to.id === END) return undefined;
  if (to.column > from.column && !tops.has(to.id)) {
    const free =
      isAreaClear(grid, { rows: [first, first], columns: [from.column + 1, to.column] }) &&
      isAreaClear(grid, { rows: [first, last - 1], columns: [to.column, to.column] });
    if (!free) return undefined;
    tops.add(to.id);
    return { ...at, kind: "over" };
  }
  if (to.column < from.column && !bottoms.has(from.id)) {
    const free =
      isAreaClear(grid, { rows: [last, last], columns: [to.column + 1, from.column] }) &&
      isAreaClear(grid, { rows: [first + 1, last], columns: [from.column, from.column] });
    if (!free) return undefined;
    bottoms.add(from.id);
    return { ...at, kind: "into" };
  }
  return undefined;
}

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

function laneRoute(at: WayOnGrid, grid: LayoutGrid): LaneRoute {
  const { way, from, to } = at;
  const loop = grid.loopAt(from.row, from.column);
  const inside = way.via === "edge" && to.id !== END && loop === grid.loopAt(to.row, to.column) ? loop : null;
  const apart = Math.abs(from.column - to.column) > 1;
  const track = apart ? (to.row > from.row ? to.row : Math.min(to.row + 1, grid.rows)) : null;
  return { ...at, kind: "lane", ...chooseSides(at), track, inside };
}

/** Returns run on the left; rework and ways that skip rows run on the right; between columns the shortest way. */
function chooseSides({ way, from, to }: WayOnGrid): Pick<LaneRoute, "leaves" | "enters"> {
  if (from.column < to.column) return { leaves: "right", enters: "left" };
  if (from.column > to.column) return { leaves: "left", enters: "right" };
  const side = to.row <= from.row && way.when !== "not_satisfied" ? "left" : "right";
  return { leaves: side, enters: side };
}

function itemsRoute(at: WayOnGrid, grid: LayoutGrid): readonly EdgeRoute[] {
  const { way, from } = at;
  const loop = grid.loops.find(({ id }) => id === way.loop);
  if (!loop || from.row >= loop.first.row) return [];
  // A generator beside the columns of its loop has no lane to it; its badge and the head of the loop show the link.
  if (from.column < loop.first.column || from.column > loop.last.column) return [];
  return [{ ...at, kind: "items", loop }];
}
