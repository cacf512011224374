import { useEffect, useRef, type ReactElement, type RefObject, useMemo, useState } from "react";
import type { GraphHandle } from "../graph/viewport.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { bindSheets } from "../ui/classes.ts";
import editorSheet from "./editor.module.css";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { type GraphDrawing, type PlacedEdge } from "../../../core/view/layout/drawing.ts";
import type { CastFileView } from "../../../core/wire/casts.ts";
import { useScreenWidth } from "../browser/display.ts";
import { GraphView } from "../graph/graph-view.tsx";
import {
  drawingMetrics,
  type GraphPart,
  type EdgeMark,
  type LoopMark,
  type GraphMarks,
  type SocketMark,
} from "../graph/graph-marks.ts";
import type { Graph } from "../../../core/compile/graph.ts";
import { line, toned } from "../../../core/view/line.ts";
import { edgeLabelLines } from "../loadout-editor/use-canvas.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import { eventsOfVisit } from "../../../core/history/visits.ts";
import { visitEndSeq, type TimelineVisit } from "../../../core/view/progress/playback.ts";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { hrefOf } from "../browser/route.ts";
import { useCast } from "../cast-replay/use-cast.ts";
import { Button } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { capitalize } from "../ui/status.tsx";
import playSheet from "./rehearsal.module.css";

const css = bindSheets(editorSheet, playSheet);

/** [E30] Shows a rehearsal in place of the editor; an edit ends it. */
export function RehearsalPlayer(props: {
  readonly castId: string;
  readonly handle: RefObject<GraphHandle | null>;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, handle, onClose } = props;
  const play = useRehearsalPlayback(castId, onClose);
  const { draft } = useEditor();
  const rehearsed = useRef(draft.history.present);
  useEffect(() => {
    if (draft.history.present !== rehearsed.current) onClose();
  }, [draft.history.present]);
  return (
    <>
      {/* First, so that it stands above the graph where there is no room beside it. */}
      <aside className={css("inspector")} aria-label="Inspector">
        <RehearsalPanel play={play} onClose={onClose} />
      </aside>
      {play.castFile ? (
        <RehearsalCanvas play={play} castFile={play.castFile} handle={handle} />
      ) : (
        <div data-canvas className={css("canvas")} />
      )}
    </>
  );
}

/** The rehearsal on the canvas. A click on a socket goes to its latest step. */
function RehearsalCanvas(props: {
  readonly play: RehearsalPlayback;
  readonly castFile: CastFileView;
  readonly handle: RefObject<GraphHandle | null>;
}): ReactElement {
  const { play, castFile, handle } = props;
  const { graph, layout } = castFile;
  const width = useScreenWidth();
  const compact = width !== "large";
  const drawing = useMemo(
    () =>
      layoutGraph(graph, {
        metrics: drawingMetrics(compact, true),
        // Reserve room for counts, so that nothing moves during playback.
        longestLabelOf: (way, runs) => {
          const lines = edgeLabelLines(graph, way, runs);
          return [...lines.slice(0, -1), `${lines.at(-1) ?? ""} 99×`.trimStart()];
        },
        layout,
      }),
    [graph, layout, compact],
  );
  const marks = useMemo(
    () => rehearsalMarks(graph, drawing, play),
    [graph, drawing, play.replay, play.visits, play.seq],
  );
  const here = play.visits[play.step]?.socket;
  const selected = useMemo<readonly GraphPart[]>(() => (here ? [{ kind: "socket", id: here }] : []), [here]);
  useEffect(() => {
    if (here) handle.current?.reveal(here);
  }, [here, handle]);
  return (
    <div data-canvas className={css("canvas")}>
      <GraphView
        graph={graph}
        drawing={drawing}
        label={`Rehearsal of ${graph.name}, step ${play.step + 1} of ${play.visits.length}`}
        marks={marks}
        selected={selected}
        onSelect={(part) => {
          const step = play.visits.findLastIndex(({ socket }) => socket === part?.id);
          if (step !== -1) play.goToStep(step);
        }}
        compact={compact}
        fitWhole
        handle={handle}
      />
    </div>
  );
}

/** [E30] Visited sockets and counts of taken edges at the shown step. */
function rehearsalMarks(graph: Graph, drawing: GraphDrawing, play: RehearsalPlayback): GraphMarks {
  const { replay, visits, step, seq } = play;
  const now = visits[step];
  const seen = visits.slice(0, step + 1);
  const ways = replay?.waysTakenAt(seq) ?? [];
  const last = ways.at(-1)?.id;
  const edgeMark = ({ way, runs }: PlacedEdge): EdgeMark => {
    const count = ways.filter(({ id }) => id === way.id).length;
    const label = edgeLabelLines(graph, way, runs).map((text) => line(text));
    const times = toned("strong", `${count}×`);
    const counted = [...label.slice(0, -1), line(...(label.at(-1) ?? []), label.length === 0 ? "" : " ", times)];
    return {
      visits: way.id === last ? "last" : count > 0 ? "visited" : "unvisited",
      label: count === 0 ? label : counted,
    };
  };
  const socketMark = (id: string): SocketMark => {
    const times = seen.filter(({ socket }) => socket === id).length;
    const isHere = now?.socket === id;
    return {
      state: isHere ? (now.outcome === "failed" ? "failed" : "live") : times > 0 ? "visited" : "todo",
      visits: times === 0 ? "–" : `${times}×`,
      tag: isHere ? `Step ${step + 1} of ${visits.length}` : undefined,
    };
  };
  const loopMark = (id: string): LoopMark => {
    const item = now?.item?.loop === id ? now.item : null;
    return item ? { secondLine: line(toned("strong", `Item ${item.index + 1} of ${item.of} `), item.title) } : {};
  };
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(id)])),
    edges: new Map(drawing.edges.map((edge) => [edge.way.id, edgeMark(edge)])),
    loops: new Map(drawing.loops.map(({ id }) => [id, loopMark(id)])),
  };
}

function RehearsalPanel(props: { readonly play: RehearsalPlayback; readonly onClose: () => void }): ReactElement {
  const { play, onClose } = props;
  const { visits, step, isPlaying, goToStep: go, togglePlaying: turn, castId, issues } = play;
  const visit = visits[step];
  const atEnd = step >= visits.length - 1;
  return (
    <section className={css("section")} aria-label="Rehearsal">
      <div className={css("row wrap")}>
        <h2 className={css("thing grow")}>Rehearsal</h2>
        <Button onClick={onClose}>Back to editing</Button>
      </div>
      <div className={css("row wrap")} role="group" aria-label="Steps">
        <Button off={step === 0 ? "This is the first step" : null} onClick={() => go(step - 1)}>
          Back <kbd>[</kbd>
        </Button>
        <Button look="primary" icon={isPlaying ? "waiting" : "play"} onClick={turn}>
          {isPlaying ? "Pause" : "Play"} <kbd>P</kbd>
        </Button>
        <Button off={atEnd ? "This is the last step" : null} onClick={() => go(step + 1)}>
          Next <kbd>]</kbd>
        </Button>
        <span role="status">{visits.length === 0 ? "Begins…" : `Step ${step + 1} of ${visits.length}`}</span>
      </div>
      <IssueList issues={issues} />
      {visit && <RehearsalStep play={play} visit={visit} />}
      {atEnd && <RehearsalEnding play={play} />}
      <p>
        <a href={hrefOf("casts", castId)}>Open it as a cast</a>
      </p>
    </section>
  );
}

function RehearsalStep(props: { readonly play: RehearsalPlayback; readonly visit: TimelineVisit }): ReactElement {
  const { play, visit } = props;
  const events = play.replay ? eventsOfVisit(play.replay.events(), visit) : [];
  const { socket, materia, visit: number, item, outcome } = visit;
  const left = events.find((event) => event.type === "edge_taken");
  return (
    <>
      <div className={css("row wrap")}>
        <MateriaIcon materia={play.castFile?.graph.materia[materia]} size="sm" />
        <b>{materia}</b>
        <span className={css("faint")}>{`${socket} · visit ${number}`}</span>
        <span className={css("badge")}>{capitalize(outcome.replace("_", " "))}</span>
      </div>
      {item && <p className={css("secondary")}>{`Item ${item.index + 1} of ${item.of}: ${item.title}`}</p>}
      <h3 className={css("secondary")}>Handed on</h3>
      {renderHandoff(events)}
      {left?.type === "edge_taken" && (
        <p className={css("secondary")}>
          Then to <b>{left.to === "end" ? "the end" : left.to}</b>.
        </p>
      )}
    </>
  );
}

function renderHandoff(events: readonly CastEvent[]): ReactElement {
  const last = events.findLast(
    ({ type }) => type === "handoff_accepted" || type === "output_accepted" || type === "turn_failed",
  );
  if (last?.type === "turn_failed") return <p className={css("note bad")}>{last.message}</p>;
  if (last?.type === "output_accepted") return <pre className={css("handed")}>{last.text}</pre>;
  if (last?.type !== "handoff_accepted") return <p className={css("faint")}>Nothing yet.</p>;
  return <pre className={css("handed")}>{JSON.stringify(last.handoff, null, 2)}</pre>;
}

function RehearsalEnding({ play }: { readonly play: RehearsalPlayback }): ReactElement | null {
  const last = play.replay?.events().at(-1);
  if (last?.type !== "cast_ended" && last?.type !== "cast_waiting") return null;
  return (
    <p className={css("note")} role="status">
      {last.type === "cast_ended"
        ? `It ended: ${statusText(last.outcome)}.`
        : "It waits for a person. Open it as a cast to answer."}
    </p>
  );
}

type RehearsalPlayback = ReturnType<typeof useRehearsalPlayback>;

const STEP_MS = 900;

function useRehearsalPlayback(castId: string, onClose: () => void) {
  const load = useCast(castId);
  const { castFile = null, replay = null, version = 0 } = load.kind === "loaded" ? load : {};
  const issues = load.kind === "loading" ? [] : load.issues;
  const [step, setStep] = useState(0);
  const [isPlaying, setPlaying] = useState(true);
  const visits = useMemo(() => replay?.visitsAt(replay.lastSeq()) ?? [], [replay, version]);
  const last = Math.max(0, visits.length - 1);
  const isOver = replay?.events().at(-1)?.type === "cast_ended";
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (step >= last && isOver) return setPlaying(false);
    const timer = setTimeout(() => setStep((before) => Math.min(before + 1, last)), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, step, last, isOver]);
  const go = (to: number): void => {
    setPlaying(false);
    setStep(Math.max(0, Math.min(to, last)));
  };
  const turn = (): void => {
    if (!isPlaying && step >= last) setStep(0);
    setPlaying(!isPlaying);
  };
  useKeysOutsideDialogs({
    "[": () => go(step - 1),
    "]": () => go(step + 1),
    p: turn,
    escape: onClose,
  });
  const visit = visits[step];
  const seq = replay && visit ? visitEndSeq(visit, replay.lastSeq()) : 0;
  return { castId, castFile, issues, replay, visits, step, seq, isPlaying, goToStep: go, togglePlaying: turn };
}
