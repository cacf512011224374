import { Handle, Position, type Node } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import { type GraphSocket, materiaOf, type Origin } from "../../../core/compile/graph.ts";
import type { Materia } from "../../../core/model/materia.ts";
import type { Box, PlacedLoop, TargetBand } from "../../../core/view/layout/drawing.ts";
import { progressCounts } from "../../../core/view/progress/item-progress.ts";
import { itemsDoneText } from "../../../core/view/numbers.ts";
import { ItemCells } from "../ui/status.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { LineText } from "../ui/line-text.tsx";
import { includesPart, socketPart, type LoopMark, type SocketMark } from "./graph-marks.ts";
import type { EdgeLayerProps } from "./edges.tsx";
import { bindSheets } from "../ui/classes.ts";
import edgesSheet from "./edges.module.css";
import graphSheet from "./graph.module.css";
import nodeSheet from "./nodes.module.css";

const css = bindSheets(nodeSheet, graphSheet, edgesSheet);

interface SocketNodeData {
  readonly socket: GraphSocket;
  readonly materia: Materia;
  readonly isEntry: boolean;
  readonly isConsumer: boolean;
  readonly mark?: SocketMark;
  readonly chosen: boolean;
  readonly isStop: boolean;
  readonly compact: boolean;
  readonly edit: boolean;
}

const STATE_CLASSES = {
  visited: "",
  todo: "to-come",
  live: "live",
  waiting: "live waiting",
  failed: "failed",
} as const satisfies Record<NonNullable<SocketMark["state"]>, string>;

export const SocketNode = memo(function SocketNode({ data }: { readonly data: SocketNodeData }): ReactElement {
  const { socket, materia, mark = {}, chosen, isStop, compact, edit } = data;
  const { state, isPast: past = false, problem } = mark;
  const badges = socketBadges(data);
  const found = problem ? (problem.severity === "error" ? "error" : "warned") : "";
  return (
    <>
      <button
        type="button"
        className={css(
          `socket ${state ? STATE_CLASSES[state] : ""} ${past ? "past" : ""} ${chosen ? "selected" : ""} ${found}`,
        )}
        data-part={`socket ${socket.id}`}
        data-problem={problem?.severity}
        tabIndex={isStop ? 0 : -1}
        title={badges.length > 1 ? badges.join(", ") : undefined}
        aria-current={state === "live" || state === "waiting" ? "step" : undefined}
        aria-pressed={edit ? chosen : undefined}
      >
        <MateriaIcon materia={materia} />
        <span className={css("title cut")}>{socket.materia}</span>
        <ScreenReaderText text={`, ${materia.type}, `} />
        <span className={css(`second-row ${badges.length > 1 ? "full" : ""}`)}>
          {socket.id}
          {badges.map((badge) => (
            <span key={badge} className={css("badge")}>
              <ScreenReaderText text=", " />
              {badge}
            </span>
          ))}
        </span>
        {mark.visits !== undefined && <VisitFigures mark={mark} beside={badges.length > 1} compact={compact} />}
        {mark.tag !== undefined && (
          <span className={css("now-tag")}>
            <ScreenReaderText text=", " />
            {mark.tag}
          </span>
        )}
        {problem && <ScreenReaderText text={`, ${problem.severity}: ${problem.text}`} />}
        {(problem || mark.flag !== undefined) && (
          <span className={css("flag")} aria-hidden="true">
            {mark.flag ?? (problem?.severity === "error" ? "!" : "?")}
          </span>
        )}
      </button>
      {edit && <ConnectionHandles />}
    </>
  );
});

function socketBadges({ socket, isEntry, isConsumer }: SocketNodeData): readonly string[] {
  const badges = { Entry: isEntry, Generator: socket.generator, "Loop consumer": isConsumer };
  return Object.entries({ ...badges, Interactive: socket.interactive }).flatMap(([badge, has]) => (has ? [badge] : []));
}

/** For screen readers; shape and place show the same. */
function ScreenReaderText({ text }: { readonly text: string }): ReactElement {
  return <span className={css("spoken")}>{text}</span>;
}

/** Visits above cost; side by side when badges need the second row. */
function VisitFigures(props: {
  readonly mark: SocketMark;
  readonly beside: boolean;
  readonly compact: boolean;
}): ReactElement {
  const { mark, beside, compact } = props;
  const figure = mark.figure !== undefined && !compact && (
    <span className={css("figure")}>
      <ScreenReaderText text=", " />
      {mark.figure}
    </span>
  );
  return (
    <>
      <span className={css("visits")}>
        {beside && figure}
        <ScreenReaderText text={mark.visits === "–" ? ", not visited " : ", visited "} />
        {mark.visits}
      </span>
      {!beside && figure}
    </>
  );
}

const SOURCE_HANDLES = [
  ["forward", Position.Bottom, "handle handle-forward"],
  ["return", Position.Left, "handle handle-return"],
  ["rework", Position.Right, "handle rework"],
] as const;

/** Handles: round below for forward, square left for return, diamond right for rework. The whole socket receives. */
function ConnectionHandles(): ReactElement {
  return (
    <>
      <ReceivingHandle />
      {SOURCE_HANDLES.map(([id, position, look]) => (
        <Handle key={id} type="source" id={id} position={position} className={css(look)} isConnectableEnd={false} />
      ))}
    </>
  );
}

function ReceivingHandle(): ReactElement {
  return (
    <Handle type="target" position={Position.Top} id="in" className={css("handle-in")} isConnectableStart={false} />
  );
}

interface LoopNodeData {
  readonly loop: PlacedLoop;
  readonly parallel: number | undefined;
  readonly mark?: LoopMark;
  readonly chosen: boolean;
  readonly clickable: boolean;
}

export const LoopNode = memo(function RegionNode({ data }: { readonly data: LoopNodeData }): ReactElement {
  const { loop, parallel, mark, chosen, clickable } = data;
  const { box, head } = loop;
  const items = mark?.items;
  const first = (
    <span className={css("first-line")}>
      <b>Loop</b> <span className={css("cut")}>{loop.id}</span>
      {parallel !== undefined && <span className={css("at-once")}>{`${parallel} at once`}</span>}
      {items && <ItemCells items={items} />}
      {items && <span className={css("spoken")}>{itemsDoneText(progressCounts(items))}</span>}
    </span>
  );
  return (
    <div className={css(`region ${chosen ? "chosen-region" : ""}`)} role="group" aria-label={`Loop ${loop.id}`}>
      <div className={css("region-head")} style={{ left: head.x - box.x, top: head.y - box.y, width: head.width }}>
        {clickable ? (
          <button
            type="button"
            className={css("region-button")}
            data-part={`loop ${loop.id}`}
            tabIndex={-1}
            aria-pressed={chosen}
          >
            {first}
          </button>
        ) : (
          first
        )}
        {mark?.secondLine && (
          <span className={css("second-line cut")}>
            <LineText line={mark.secondLine} />
          </span>
        )}
      </div>
    </div>
  );
});

interface TargetBandData {
  readonly band: TargetBand;
  readonly kind: Origin["kind"];
}

export const TargetBandNode = memo(function BandNode({ data }: { readonly data: TargetBandData }): ReactElement {
  const { target, name, title, box } = data.band;
  return (
    <div className={css("band")}>
      <div
        className={css(`band-label ${title.width > 150 ? "wide-label" : ""}`)}
        style={{ left: title.x - box.x, top: title.y - box.y, width: title.width }}
      >
        {data.kind}
        <b className={css("cut")}>{`${target} · ${name}`}</b>
      </div>
    </div>
  );
});

export const EndNode = memo(function EndNode({ data }: { readonly data: { readonly edit: boolean } }): ReactElement {
  return (
    <>
      <span className={css("end")}>end</span>
      {data.edit && <ReceivingHandle />}
    </>
  );
});

/** The nodes for React Flow: bands and loops below, sockets and the end above. */
export function createFlowNodes(props: EdgeLayerProps & { readonly compact: boolean }): Node[] {
  const { graph, drawing, marks, selected, compact, editing: edit, focus } = props;
  const stop = focus?.kind === "socket" ? focus.id : drawing.sockets[0]?.id;
  const origins = Object.values(graph.sockets).map(({ origin }) => origin);
  return [
    ...drawing.bands.map((band) => {
      const kind = origins.find(({ target }) => target === band.target)?.kind ?? "loadout";
      return createNode(`band ${band.target}`, "band", band.box, -1, { band, kind });
    }),
    ...drawing.loops.map((loop) =>
      createNode(`loop ${loop.id}`, "region", loop.box, 0, {
        loop,
        parallel: graph.loops[loop.id]?.parallel,
        mark: marks?.loops?.get(loop.id),
        chosen: includesPart(selected, { kind: "loop", id: loop.id }),
        clickable: edit,
      }),
    ),
    ...drawing.sockets.flatMap(({ id, box }) => {
      const socket = graph.sockets[id];
      if (!socket) return [];
      const node = createNode(id, "socket", box, 3, {
        socket,
        materia: materiaOf(graph, socket),
        isEntry: edit && id === graph.entry,
        // Elsewhere the frame of the loop says the same.
        isConsumer: edit && !compact && socket.loop !== null && (graph.loops[socket.loop]?.from ?? null) !== null,
        mark: marks?.sockets?.get(id),
        chosen: includesPart(selected, socketPart(id)),
        isStop: id === stop && focus?.kind !== "edge",
        compact,
        edit,
      });
      return [{ ...node, draggable: edit, selectable: edit }];
    }),
    ...(drawing.end ? [createNode("end", "end", drawing.end, 3, { edit })] : []),
  ];
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
