import { Handle, Position } from "@xyflow/react";
import { memo } from "react";
import type { ReactElement } from "react";
import type { GraphSocket } from "../../../../core/compile/graph.ts";
import type { Materia } from "../../../../core/model/materia.ts";
import type { Box, PlacedLoop } from "../../../../core/view/draw/drawing.ts";
import { Cells } from "../parts/marks/cells.tsx";
import { Orb } from "../parts/marks/orb.tsx";
import { Words } from "../parts/marks/words.tsx";
import type { LoopMark, SocketMark } from "./marks.ts";

interface SocketData {
  readonly socket: GraphSocket;
  readonly materia: Materia;
  readonly isEntry: boolean;
  readonly isConsumer: boolean;
  readonly mark?: SocketMark;
  readonly chosen: boolean;
  /** Where the one tab stop of the graph is. */
  readonly isStop: boolean;
  readonly compact: boolean;
  readonly edit: boolean;
}

export const SocketNode = memo(function SocketNode({ data }: { readonly data: SocketData }): ReactElement {
  const { socket, materia, mark = {}, chosen, isStop, compact, edit } = data;
  const { state, past = false, problem } = mark;
  const badges = badgesOf(data);
  const classes = [
    "node",
    state === "todo" ? "todo" : "",
    state === "live" ? "live" : "",
    state === "waiting" ? "live waiting" : "",
    state === "failed" ? "failed" : "",
    past ? "past" : "",
    chosen ? "sel" : "",
    problem ? (problem.severity === "error" ? "err" : "warn") : "",
  ];
  return (
    <>
      <button
        type="button"
        className={classes.filter(Boolean).join(" ")}
        data-part={`socket ${socket.id}`}
        tabIndex={isStop ? 0 : -1}
        title={badges.length > 1 ? badges.join(", ") : undefined}
        aria-current={state === "live" || state === "waiting" ? "step" : undefined}
        aria-pressed={edit ? chosen : undefined}
      >
        <Orb materia={materia} />
        <span className="t cut">{socket.materia}</span>
        <Told text={`, ${materia.type}, `} />
        <span className={`s ${badges.length > 1 ? "full" : ""}`}>
          {socket.id}
          {badges.map((badge) => (
            <span key={badge} className="badge">
              <Told text=", " />
              {badge}
            </span>
          ))}
        </span>
        {mark.visits !== undefined && <Figures mark={mark} beside={badges.length > 1} compact={compact} />}
        {mark.tag !== undefined && (
          <span className="nowtag">
            <Told text=", " />
            {mark.tag}
          </span>
        )}
        {problem && <Told text={`, ${problem.severity}: ${problem.text}`} />}
        {(problem || mark.flag !== undefined) && (
          <span className="flag" aria-hidden="true">
            {mark.flag ?? (problem?.severity === "error" ? "!" : "?")}
          </span>
        )}
      </button>
      {edit && <Handles />}
    </>
  );
});

function badgesOf({ socket, isEntry, isConsumer }: SocketData): readonly string[] {
  return [
    ...(isEntry ? ["Entry"] : []),
    ...(socket.generator ? ["Generator"] : []),
    ...(isConsumer ? ["Loop consumer"] : []),
    ...(socket.interactive ? ["Interactive"] : []),
  ];
}

/** For who listens; the eye has the same from the shape and the place. */
function Told({ text }: { readonly text: string }): ReactElement {
  return <span className="sr">{text}</span>;
}

/** Visits over cost; beside each other where badges need the second row. */
function Figures(props: {
  readonly mark: SocketMark;
  readonly beside: boolean;
  readonly compact: boolean;
}): ReactElement {
  const { mark, beside, compact } = props;
  const visits = (
    <>
      <Told text={mark.visits === "–" ? ", not visited " : ", visited "} />
      {mark.visits}
    </>
  );
  if (mark.figure === undefined || compact) return <span className="v">{visits}</span>;
  const figure = (
    <span className="m">
      <Told text=", " />
      {mark.figure}
    </span>
  );
  if (!beside)
    return (
      <>
        <span className="v">{visits}</span>
        {figure}
      </>
    );
  return (
    <span className="v">
      {figure}
      {visits}
    </span>
  );
}

/** Round below goes on, square at the left returns, the diamond at the right is for rework; the whole socket receives. */
function Handles(): ReactElement {
  return (
    <>
      <Handle type="target" position={Position.Top} id="in" className="h-in" isConnectableStart={false} />
      <Handle type="source" position={Position.Bottom} id="forward" className="h h-forward" isConnectableEnd={false} />
      <Handle type="source" position={Position.Left} id="return" className="h ret" isConnectableEnd={false} />
      <Handle type="source" position={Position.Right} id="rework" className="h rew" isConnectableEnd={false} />
    </>
  );
}

interface RegionData {
  readonly loop: PlacedLoop;
  readonly mark?: LoopMark;
  readonly chosen: boolean;
  readonly clickable: boolean;
}

export const RegionNode = memo(function RegionNode({ data }: { readonly data: RegionData }): ReactElement {
  const { loop, mark, chosen, clickable } = data;
  const { box, head } = loop;
  const items = mark?.items;
  const first = (
    <span className="l1">
      <b>Loop</b> <span className="cut">{loop.id}</span>
      {items && <Cells items={items} />}
      {items && <span className="sr">{`${items.done} of ${items.size} items done`}</span>}
    </span>
  );
  return (
    <div className={`region ${chosen ? "sel" : ""}`} role="group" aria-label={`Loop ${loop.id}`}>
      <div className="rh" style={{ left: head.x - box.x, top: head.y - box.y, width: head.width }}>
        {clickable ? (
          <button type="button" className="rh-b" data-part={`loop ${loop.id}`} tabIndex={-1} aria-pressed={chosen}>
            {first}
          </button>
        ) : (
          first
        )}
        {mark?.second && (
          <span className="l2 cut">
            <Words line={mark.second} />
          </span>
        )}
      </div>
    </div>
  );
});

interface BandData {
  readonly target: number;
  readonly name: string;
  readonly title: Box;
  readonly box: Box;
  readonly kind: "materia" | "loadout";
}

export const BandNode = memo(function BandNode({ data }: { readonly data: BandData }): ReactElement {
  const { target, kind, name, title, box } = data;
  return (
    <div className="band">
      <div
        className={`bl ${title.width > 150 ? "wide" : ""}`}
        style={{ left: title.x - box.x, top: title.y - box.y, width: title.width }}
      >
        {kind}
        <b className="cut">{`${target} · ${name}`}</b>
      </div>
    </div>
  );
});

export const EndNode = memo(function EndNode({ data }: { readonly data: { readonly edit: boolean } }): ReactElement {
  return (
    <>
      <span className="endn">end</span>
      {data.edit && (
        <Handle type="target" position={Position.Top} id="in" className="h-in" isConnectableStart={false} />
      )}
    </>
  );
});
