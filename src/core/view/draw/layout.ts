import type { Graph } from "../../compile/graph.ts";
import { END } from "../../model/ids.ts";
import { loopMembersOf, applyManualPositions } from "./by-hand.ts";
import type { Box, GraphDrawing } from "./drawing.ts";
import { placeEdges } from "./edges.ts";
import type { GridCell } from "./measure/grid.ts";
import { placeChainParts } from "./parts.ts";
import { isLabelInLoopHead } from "./lanes.ts";
import {
  placeColumns,
  rowFootHeight,
  rowHeadHeight,
  planLayout,
  placeRows,
  type ColumnPositions,
  type LayoutOptions,
  type LayoutPlan,
  type RowPositions,
} from "./plan.ts";

/**
 * The one drawing of a graph: sockets on a rail in reading order, what goes on goes down, what comes back goes round
 * the side. Labels lie only in the gaps between rows, lines that go sideways only on tracks of their own or beside
 * sockets, and lanes keep the width of their labels: so no label meets a socket, another label or a foreign line.
 */
export function layoutGraph(graph: Graph, options: LayoutOptions = {}): GraphDrawing {
  const plan = planLayout(graph, options);
  const columns = placeColumns(plan);
  const rows = placeRows(plan, columns);
  const drawing = buildDrawing(plan, columns, rows);
  const { layout = {} } = options;
  if (drawing.bands.length > 0) return placeChainParts(drawing, layout, graph, plan.metrics);
  return applyManualPositions(drawing, layout, { members: loopMembersOf(graph), metrics: plan.metrics });
}

function buildDrawing(plan: LayoutPlan, columns: ColumnPositions, rows: RowPositions): GraphDrawing {
  const { metrics, grid } = plan;
  const boxOf = (cell: GridCell): Box => {
    const [x, y] = [columns.x(cell.column), rows.top(cell.row)];
    if (cell.id !== END) return { x, y, ...metrics.socket };
    return { x: x + metrics.rail - metrics.end.width / 2, y, ...metrics.end };
  };
  const end = grid.cells.get(END);
  const bottomOf = (row: number): number => rows.top(row) + metrics.socket.height;
  const loops = grid.loops.map(({ id, first, last }) => {
    const x = columns.x(first.column) - plan.lanes.regionReach(id, "left");
    const right = columns.x(last.column) + metrics.socket.width + plan.lanes.regionReach(id, "right");
    const y = rows.top(first.row) - metrics.region.head;
    const box: Box = { x, y, width: right - x, height: bottomOf(last.row) + metrics.region.foot - y };
    const headX = columns.x(first.column) + metrics.rail + 12;
    const crowded = plan.routes.some(
      (route) => route.kind === "lane" && route.inside === id && isLabelInLoopHead(route, grid),
    );
    const headRight = crowded ? columns.x(first.column) + metrics.socket.width : right - metrics.region.side;
    return { id, box, head: { x: headX, y: y + 6, width: headRight - headX, height: metrics.region.head - 8 } };
  });
  const regions = new Map(loops.map(({ id, box }) => [id, box]));
  return {
    width: columns.width,
    height: rows.height,
    sockets: grid.order.flatMap((id) => {
      const cell = grid.cells.get(id);
      return cell ? [{ id, box: boxOf(cell), row: cell.row, column: cell.column }] : [];
    }),
    loops,
    bands: grid.bands.map(({ target, name, rows: [first, last] }) => {
      const y = rows.top(first) - rowHeadHeight(plan, first);
      const box = {
        x: metrics.margin.x / 2,
        y,
        width: columns.width - metrics.margin.x,
        height: bottomOf(last) + rowFootHeight(plan, last) - y,
      };
      // Beside the sockets, or over them and then clear of the line that comes in on the rail.
      const x = metrics.band.title > 0 ? box.x + 12 : columns.x(0) + metrics.rail + 10;
      const width = metrics.band.title > 0 ? metrics.band.title - 18 : box.x + box.width - x - 8;
      return { target, name, box, title: { x, y: y + 7, width, height: 32 } };
    }),
    edges: placeEdges(plan, { columns, rows, boxOf, regions }),
    end: end ? boxOf(end) : null,
  };
}
