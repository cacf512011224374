import { useState, type ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { Issues } from "../../parts/marks/issues.tsx";
import { Tabs } from "../../parts/controls/tabs.tsx";
import { hrefOf, type PageProps } from "../../browser/route.ts";
import { useWidth } from "../../browser/use-width.ts";
import { GraphPanel } from "./graph-panel.tsx";
import { Damaged } from "./damaged.tsx";
import { CastHead } from "./head.tsx";
import { NowBar } from "./now-bar.tsx";
import { Reader } from "./reader/reader.tsx";
import { TimelinePanel } from "./timeline/panel.tsx";
import { useCast, type KnownCast } from "./state/use-cast.ts";
import { useCastView } from "./state/use-cast-view.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import pageSheet from "../../ground/page.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import castSheet from "./cast.module.css";

const css = classesOf(castSheet, controlsSheet, pageSheet, baseSheet);

export default function CastPage({ name, search }: PageProps): ReactElement {
  const id = name ?? "";
  const load = useCast(id);
  if (load.kind === "loading") return <section className={css("view skeleton")} aria-label={`Loading cast ${id}`} />;
  if (load.kind === "refused")
    return (
      <div className={css("empty")}>
        <h1>This cast cannot be shown</h1>
        <Issues issues={load.issues} />
        <a className={css("control-button")} href={hrefOf("casts")}>
          All casts
        </a>
      </div>
    );
  return <CastView id={id} cast={load} search={search} />;
}

const PARTS = [
  { key: "graph", label: "Graph" },
  { key: "time", label: "Timeline" },
  { key: "visit", label: "Visit" },
] as const;
type PartKey = (typeof PARTS)[number]["key"];

function CastView({
  id,
  cast,
  search,
}: {
  readonly id: string;
  readonly cast: KnownCast;
  readonly search: URLSearchParams;
}): ReactElement {
  const width = useWidth();
  const [part, setPart] = useState<PartKey>(search.has("visit") ? "visit" : "graph");
  const view = useCastView(cast, search);
  const open = (): void => setPart("visit");
  return (
    <section className={css("view")} aria-label={`Cast ${id}`}>
      <CastHead cast={cast} view={view} dialogToOpen={search.get("do")} />
      {cast.issues.length > 0 && (
        <div className={css("cast-issues")}>
          <Issues issues={cast.issues} />
          <Damaged id={id} issues={cast.issues} />
        </div>
      )}
      <p className={css("spoken")} role="status" aria-live="polite">
        {view.announcement}
      </p>
      {width === "small" && (
        <Tabs
          name="part"
          label="Parts of the cast"
          tabs={PARTS}
          chosen={part}
          onChoose={setPart}
          className={css("part-tabs")}
        />
      )}
      <div className={css("cast-grid")}>
        {(width !== "small" || part === "graph") && <GraphPanel cast={cast} view={view} width={width} onOpen={open} />}
        {(width !== "small" || part === "time") && (
          <TimelinePanel cast={cast} view={view} width={width} onOpen={open} />
        )}
        {(width !== "small" || part === "visit") && <Reader cast={cast} view={view} />}
      </div>
      {width === "small" && part !== "visit" && <NowBar cast={cast} view={view} onOpen={open} />}
      {view.at !== null && width === "small" && (
        <Button className={css("back-to-live")} onClick={view.goLive}>
          Back to now
        </Button>
      )}
    </section>
  );
}
