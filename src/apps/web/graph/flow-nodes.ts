import type { Node } from "@xyflow/react";
import { materiaOf, type Graph, type Origin } from "../../../core/compile/graph.ts";
import type { Box, GraphDrawing } from "../../../core/view/layout/drawing.ts";
import type { GraphMarks, GraphPart } from "./graph-marks.ts";

interface FlowNodesInput {
  readonly graph: Graph;
  readonly drawing: GraphDrawing;
  readonly marks: GraphMarks | undefined;
  readonly selected: readonly GraphPart[];
  readonly compact: boolean;
  readonly edit: boolean;
  readonly focus: GraphPart | null;
}

/** The nodes for React Flow: bands and loops below, sockets and the end above. */
export function createFlowNodes(props: FlowNodesInput): Node[] {
  const { graph, drawing, marks, selected, compact, edit, focus } = props;
  const isChosen = (kind: GraphPart["kind"], id: string): boolean =>
    selected.some((part) => part.kind === kind && part.id === id);
  const first = drawing.sockets[0]?.id;
  const stop = focus?.kind === "socket" ? focus.id : first;
  return [
    ...drawing.bands.map(({ target, name, box, title }) =>
      createNode(`band ${target}`, "band", box, -1, { target, kind: targetKind(graph, target), name, title, box }),
    ),
    ...drawing.loops.map((loop) =>
      createNode(`loop ${loop.id}`, "region", loop.box, 0, {
        loop,
        parallel: graph.loops[loop.id]?.parallel,
        mark: marks?.loops?.get(loop.id),
        chosen: isChosen("loop", loop.id),
        clickable: edit,
      }),
    ),
    ...drawing.sockets.flatMap(({ id, box }) => {
      const socket = graph.sockets[id];
      if (!socket) return [];
      return [
        {
          ...createNode(id, "socket", box, 3, {
            socket,
            materia: materiaOf(graph, socket),
            isEntry: edit && id === graph.entry,
            isConsumer: socket.loop !== null && (graph.loops[socket.loop]?.from ?? null) !== null,
            mark: marks?.sockets?.get(id),
            chosen: isChosen("socket", id),
            isStop: id === stop && focus?.kind !== "edge",
            compact,
            edit,
          }),
          draggable: edit,
          selectable: edit,
        },
      ];
    }),
    ...(drawing.end ? [createNode("end", "end", drawing.end, 3, { edit })] : []),
  ];
}

function targetKind(graph: Graph, target: number): Origin["kind"] {
  return Object.values(graph.sockets).find(({ origin }) => origin.target === target)?.origin.kind ?? "loadout";
}

function createNode(
  id: string,
  type: string,
  { x, y, width, height }: Box,
  zIndex: number,
  data: Record<string, unknown>,
): Node {
  return {
    id,
    type,
    position: { x, y },
    width,
    height,
    // Sizes come from the layout: React Flow must not wait to measure.
    measured: { width, height },
    zIndex,
    draggable: false,
    selectable: false,
    data,
  };
}
