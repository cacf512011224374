import { Handle, Position } from "@xyflow/react";
import { memo, type ReactElement } from "react";
import type { GraphSocket } from "../../../core/compile/graph.ts";
import type { Materia } from "../../../core/model/materia.ts";
import type { Box, PlacedLoop } from "../../../core/view/layout/drawing.ts";
import { progressCounts } from "../../../core/view/progress/item-cells.ts";
import { itemsDoneText } from "../../../core/view/numbers.ts";
import { ItemCells } from "../ui/status.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { LineText } from "../ui/line-text.tsx";
import type { LoopMark, SocketMark } from "./graph-marks.ts";
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
  /** The part with the tab stop of the graph. */
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
  return [
    ...(isEntry ? ["Entry"] : []),
    ...(socket.generator ? ["Generator"] : []),
    ...(isConsumer ? ["Loop consumer"] : []),
    ...(socket.interactive ? ["Interactive"] : []),
  ];
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
  const visits = (
    <>
      <ScreenReaderText text={mark.visits === "–" ? ", not visited " : ", visited "} />
      {mark.visits}
    </>
  );
  if (mark.figure === undefined || compact) return <span className={css("visits")}>{visits}</span>;
  const figure = (
    <span className={css("figure")}>
      <ScreenReaderText text=", " />
      {mark.figure}
    </span>
  );
  if (!beside)
    return (
      <>
        <span className={css("visits")}>{visits}</span>
        {figure}
      </>
    );
  return (
    <span className={css("visits")}>
      {figure}
      {visits}
    </span>
  );
}

/** Handles: round below for forward, square left for return, diamond right for rework. The whole socket receives. */
function ConnectionHandles(): ReactElement {
  return (
    <>
      <Handle type="target" position={Position.Top} id="in" className={css("handle-in")} isConnectableStart={false} />
      <Handle
        type="source"
        position={Position.Bottom}
        id="forward"
        className={css("handle handle-forward")}
        isConnectableEnd={false}
      />
      <Handle
        type="source"
        position={Position.Left}
        id="return"
        className={css("handle handle-return")}
        isConnectableEnd={false}
      />
      <Handle
        type="source"
        position={Position.Right}
        id="rework"
        className={css("handle rework")}
        isConnectableEnd={false}
      />
    </>
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
  readonly target: number;
  readonly name: string;
  readonly title: Box;
  readonly box: Box;
  readonly kind: "materia" | "loadout";
}

export const TargetBandNode = memo(function BandNode({ data }: { readonly data: TargetBandData }): ReactElement {
  const { target, kind, name, title, box } = data;
  return (
    <div className={css("band")}>
      <div
        className={css(`band-label ${title.width > 150 ? "wide-label" : ""}`)}
        style={{ left: title.x - box.x, top: title.y - box.y, width: title.width }}
      >
        {kind}
        <b className={css("cut")}>{`${target} · ${name}`}</b>
      </div>
    </div>
  );
});

export const EndNode = memo(function EndNode({ data }: { readonly data: { readonly edit: boolean } }): ReactElement {
  return (
    <>
      <span className={css("end")}>end</span>
      {data.edit && (
        <Handle type="target" position={Position.Top} id="in" className={css("handle-in")} isConnectableStart={false} />
      )}
    </>
  );
});
