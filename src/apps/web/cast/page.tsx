import { useState, type CSSProperties, type ReactElement } from "react";
import { Button, Tabs } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import { hrefOf, type PageProps, navigate } from "../browser/route.ts";
import { useScreenWidth } from "../browser/display.ts";
import { useFirstView } from "../browser/first-view.ts";
import { CastGraphPanel } from "./graph-panel.tsx";
import { ExtensionQuestionForm } from "./extension-question.tsx";
import { CastHead } from "./cast-head.tsx";
import { VisitPanel } from "../cast-visit/visit-panel.tsx";
import { TimelinePanel } from "./timeline-panel.tsx";
import { useCast, type WatchedCast } from "../cast-replay/use-cast.ts";
import { useCastView, type CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { useStoredText } from "../browser/store.ts";
import { bindSheets } from "../ui/classes.ts";
import castSheet from "./cast.module.css";
import { positionName, positionText } from "../../../core/view/progress/board.ts";
import { MateriaIcon } from "../ui/icons.tsx";
import * as v from "valibot";
import type { Issue } from "../../../core/model/issue.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { toast } from "../ui/toasts.tsx";

const css = bindSheets(castSheet);

export default function CastPage({ name, search }: PageProps): ReactElement {
  const id = name ?? "";
  const load = useCast(id);
  useFirstView(load.kind !== "loading");
  if (load.kind === "loading") return <section className={css("view skeleton")} aria-label={`Loading cast ${id}`} />;
  if (load.kind === "refused")
    return (
      <div className={css("empty")}>
        <h1>This cast cannot be shown</h1>
        <IssueList issues={load.issues} />
        <a className={css("control-button")} href={hrefOf("casts")}>
          All casts
        </a>
      </div>
    );
  return <CastPanels id={id} cast={load} search={search} />;
}

const PANELS = [
  { key: "graph", label: "Graph" },
  { key: "time", label: "Timeline" },
  { key: "visit", label: "Visit" },
] as const;

function CastPanels(props: {
  readonly id: string;
  readonly cast: WatchedCast;
  readonly search: URLSearchParams;
}): ReactElement {
  const { id, cast, search } = props;
  const width = useScreenWidth();
  const view = useCastView(cast, search);
  const isFinished = view.latest.status === "completed" || view.latest.status === "not_satisfied";
  // The result comes first.
  const [part, setPart] = useState<(typeof PANELS)[number]["key"]>(
    search.has("visit") || isFinished ? "visit" : "graph",
  );
  const [storedWidth, storeWidth] = useStoredText("materia-graph-width");
  const graphWidth = Number(storedWidth) || USUAL_GRAPH;
  const setGraphWidth = (next: number): void =>
    storeWidth(String(Math.round(Math.max(LEAST_GRAPH, Math.min(MOST_GRAPH, next)))));
  const open = (): void => setPart("visit");
  return (
    <section className={css("view")} aria-label={`Cast ${id}`}>
      <CastHead cast={cast} view={view} dialogToOpen={search.get("do")} />
      {cast.questions.map((question) => (
        <ExtensionQuestionForm key={question.id} question={question} />
      ))}
      {cast.issues.length > 0 && <CastIssues id={id} issues={cast.issues} />}
      <p className={css("spoken")} role="status" aria-live="polite">
        {view.announcement}
      </p>
      {width === "small" && (
        <Tabs
          name="part"
          label="Parts of the cast"
          tabs={PANELS}
          chosen={part}
          onChoose={setPart}
          className={css("part-tabs")}
        />
      )}
      <div className={css("cast-grid")} style={{ "--graph-width": `${graphWidth}px` } as CSSProperties}>
        {(width !== "small" || part === "graph") && (
          <CastGraphPanel cast={cast} view={view} width={width} onOpen={open} />
        )}
        {width === "large" && <GraphSplitter width={graphWidth} onWidth={setGraphWidth} />}
        {(width !== "small" || part === "time") && (
          <TimelinePanel cast={cast} view={view} width={width} onOpen={open} />
        )}
        {(width !== "small" || part === "visit") && <VisitPanel cast={cast} view={view} />}
      </div>
      {width === "small" && part !== "visit" && <CurrentVisitBar cast={cast} view={view} onOpen={open} />}
      {view.at !== null && width === "small" && (
        <Button className={css("back-to-live")} onClick={view.goLive}>
          Back to now
        </Button>
      )}
    </section>
  );
}

const [LEAST_GRAPH, USUAL_GRAPH, MOST_GRAPH] = [280, 478, 900];

/** [W49] The line between graph and visit: dragged, or moved with the arrow keys. */
function GraphSplitter(props: { readonly width: number; readonly onWidth: (width: number) => void }): ReactElement {
  const { width, onWidth } = props;
  return (
    <div
      className={css("splitter")}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the graph"
      aria-valuenow={width}
      aria-valuemin={LEAST_GRAPH}
      aria-valuemax={MOST_GRAPH}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onWidth(event.clientX - 16);
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        onWidth(width + step);
      }}
    />
  );
}

function CurrentVisitBar(props: CastPanelProps & { readonly onOpen: () => void }): ReactElement | null {
  const { cast, view, onOpen } = props;
  const { position, status } = view.latest;
  if (!position || (status !== "running" && status !== "waiting")) return null;
  return (
    <div className={css(`now-bar ${status === "waiting" ? "waits" : ""}`)}>
      <MateriaIcon materia={cast.castFile.graph.materia[position.materia]} />
      <div className={css("grow")}>
        <b>{positionName(position)}</b> <span className={css("secondary")}>{positionText(position)}</span>
        <div className={css("secondary cut")}>
          {status === "waiting" ? "waiting for you" : cast.progress.activityText()}
        </div>
      </div>
      <Button
        onClick={() => {
          view.goLive();
          onOpen();
        }}
      >
        Open
      </Button>
    </div>
  );
}

const SalvagedCast = v.object({ castId: v.string() });

/** [W21] Salvages a damaged cast into a new one, as `doctor --salvage` does. */
function CastIssues(props: { readonly id: string; readonly issues: readonly Issue[] }): ReactElement {
  const { id, issues } = props;
  const [refused, setRefused] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const salvage = async (): Promise<void> => {
    setBusy(true);
    const answer = await fetchCommandOutput({ command: { kind: "doctor", castId: id, salvage: true } }, SalvagedCast);
    setBusy(false);
    if (!answer.ok) return setRefused(answer.issues);
    toast({ text: "The undamaged part is a new cast. The damaged cast does not change.", tone: "ok" });
    return navigate(hrefOf("casts", answer.value.castId));
  };
  return (
    <div className={css("cast-issues")}>
      <IssueList issues={issues} />
      {issues.some(({ code }) => code === "damaged_journal") && (
        <div className={css("row wrap")}>
          <Button busy={busy} onClick={() => void salvage()}>
            Save the undamaged part as a new cast
          </Button>
        </div>
      )}
      <IssueList issues={refused} />
    </div>
  );
}
