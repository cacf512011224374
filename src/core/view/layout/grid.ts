import type { Graph } from "../../compile/graph.ts";
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
    if ((block.kind === "socket" ? block.row.aside : block.aside) === 0) nextRank();
    const members = block.kind === "socket" ? [{ ...block.row, aside: 0 }] : block.rows;
    let line = -1;
    let widest = 0;
    for (const { socket, aside } of members) {
      if (aside === 0) line += 1;
      widest = Math.max(widest, aside);
      cells.push({ id: socket.id, row: row + Math.max(0, line), column: column + aside });
    }
    if (block.kind === "loop" && members.length > 0) {
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
