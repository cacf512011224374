import { useState, type ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { IssueList } from "../../parts/marks/issues.tsx";
import { Tabs } from "../../parts/controls/tabs.tsx";
import { hrefOf, type PageProps } from "../../browser/route.ts";
import { useScreenWidth } from "../../browser/use-width.ts";
import { CastGraphPanel } from "./graph-panel.tsx";
import { DamagedCastNotice } from "./damaged.tsx";
import { CastHead } from "./head.tsx";
import { CurrentVisitBar } from "./now-bar.tsx";
import { VisitPanel } from "./reader/reader.tsx";
import { TimelinePanel } from "./timeline/panel.tsx";
import { useCast, type WatchedCast } from "./state/use-cast.ts";
import { useCastView } from "./state/use-cast-view.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import pageSheet from "../../ground/page.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import castSheet from "./cast.module.css";

const css = bindClassNames(castSheet, controlsSheet, pageSheet, baseSheet);

export default function CastPage({ name, search }: PageProps): ReactElement {
  const id = name ?? "";
  const load = useCast(id);
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
type PanelKey = (typeof PANELS)[number]["key"];

function CastPanels({
  id,
  cast,
  search,
}: {
  readonly id: string;
  readonly cast: WatchedCast;
  readonly search: URLSearchParams;
}): ReactElement {
  const width = useScreenWidth();
  const [part, setPart] = useState<PanelKey>(search.has("visit") ? "visit" : "graph");
  const view = useCastView(cast, search);
  const open = (): void => setPart("visit");
  return (
    <section className={css("view")} aria-label={`Cast ${id}`}>
      <CastHead cast={cast} view={view} dialogToOpen={search.get("do")} />
      {cast.issues.length > 0 && (
        <div className={css("cast-issues")}>
          <IssueList issues={cast.issues} />
          <DamagedCastNotice id={id} issues={cast.issues} />
        </div>
      )}
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
      <div className={css("cast-grid")}>
        {(width !== "small" || part === "graph") && <CastGraphPanel cast={cast} view={view} width={width} onOpen={open} />}
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
