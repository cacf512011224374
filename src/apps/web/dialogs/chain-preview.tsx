import { useMemo, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { TargetRef } from "../../../core/command/command.ts";
import { socketsOf } from "../../../core/compile/graph.ts";
import { authoredLayout, type CompiledChain } from "../../../core/compile/targets/compile.ts";
import type { ChainResult } from "../../../core/edit/target-chain.ts";
import { END } from "../../../core/model/ids.ts";
import { countedText } from "../../../core/model/text.ts";
import { destinationText } from "../../../core/view/graph/labels.ts";
import { stitchNumber, type DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { COMPACT_METRICS, scaleMetrics, type PlacedEdge } from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { billLines, billSettings, makeBill } from "../../../core/view/graph/bill.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { line } from "../../../core/view/line.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";
import { textScale } from "../browser/display.ts";
import type { EdgeMark, SocketMark } from "../graph/graph-marks.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { bindSheets } from "../ui/classes.ts";
import { LabelledField } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";
import { useBill } from "../data/use-bill.ts";
import { LineParagraphs } from "../ui/line-text.tsx";
import { isUnstitched } from "./cast-targets.tsx";
import sheet from "./new-cast.module.css";

const css = bindSheets(sheet);

/** The graph of a new cast, what it is for, and what it may take; or why its targets cannot be joined. */
export function CastPreview(props: {
  readonly targets: readonly TargetRef[];
  readonly composed: ChainResult;
  readonly catalog: Catalog;
  /** What of the loadout is not saved. */
  readonly draft: ConfigDraft | null;
}): ReactElement {
  const { composed, catalog, draft } = props;
  const [items, setItems] = useState<number>();
  const [only, ...others] = props.targets;
  const loadout = only?.kind === "loadout" && others.length === 0 ? only.name : null;
  const description = loadout === null ? undefined : catalog.loadouts.get(loadout)?.value?.description;
  const compiled = composed.kind === "composed" ? composed.compiled : null;
  const hasLoop = compiled !== null && Object.keys(compiled.graph.loops).length > 0;
  const known = useBill(compiled && loadout, draft, items);
  const own = useMemo(() => {
    const asked = { past: [], ...billSettings(catalog.settings), ...withoutUndefined({ items }) };
    return compiled ? makeBill({ ...compiled, ...asked }) : undefined;
  }, [compiled, catalog, items]);
  const bill = known ?? own;
  const likely = items ?? bill?.items ?? 1;
  return (
    <div className={css("new-cast-side")}>
      {composed.kind !== "empty" && <ComposedGraph composed={composed} />}
      {description !== undefined && <p className={css("secondary")}>{description}</p>}
      {composed.kind === "refused" && <IssueList issues={composed.issues} />}
      {compiled && <ChainFacts compiled={compiled} />}
      {bill && <LineParagraphs lines={billLines(bill).slice(1)} />}
      {hasLoop && (
        <LabelledField label={`If it makes ${countedText(likely, "work item")}`}>
          <input
            type="range"
            min={1}
            max={30}
            value={likely}
            onChange={(event) => setItems(Number(event.target.value))}
          />
        </LabelledField>
      )}
    </div>
  );
}

function ChainFacts({ compiled }: { readonly compiled: CompiledChain }): ReactElement {
  const { graph, stitches, warnings } = compiled;
  return (
    <>
      {stitches.length > 0 && (
        <>
          <p>{`${countedText(Object.keys(graph.sockets).length, "socket")}, ${countedText(stitches.length, "stitch", "stitches")}`}</p>
          <ol className={css("secondary")} aria-label="Stitches">
            {stitches.map(({ from, to, reason }, index) => (
              <li key={`${from} ${to}`}>
                {`${index + 1}: ${destinationText(graph, from)} → ${destinationText(graph, to)}, ${reason}.`}
              </li>
            ))}
          </ol>
        </>
      )}
      {socketsOf(graph)
        .filter(({ interactive }) => interactive)
        .map(({ id, materia }) => (
          <p key={id} className={css("note waiting-tone")}>{`${materia} (${id}) waits for your answer.`}</p>
        ))}
      {warnings.map(({ message, path, code }) => (
        <p key={`${code} ${path.join(".")} ${message}`} className={css("note rework")}>
          {message}.
        </p>
      ))}
    </>
  );
}

/** The graph, one band per target, with stitches or red open ends. */
function ComposedGraph(props: { readonly composed: Exclude<ChainResult, { kind: "empty" }> }): ReactElement | null {
  const { composed } = props;
  const drawn = useMemo(() => drawChain(composed), [composed]);
  if (!drawn) return <p className={css("faint")}>There is no graph to draw.</p>;
  return (
    <div className={css("new-cast-graph")}>
      <GraphView
        {...drawn}
        label={`Graph of ${drawn.graph.name}, ${countedText(drawn.drawing.sockets.length, "socket")}`}
        compact
        fitWhole
      />
    </div>
  );
}

function drawChain(composed: Exclude<ChainResult, { kind: "empty" }>) {
  const isComposed = composed.kind === "composed";
  const graph = isComposed ? composed.compiled.graph : composed.parts;
  if (!graph) return null;
  const open = isComposed ? [] : composed.joints.filter(isUnstitched).flatMap(({ ends }) => ends);
  const isLoose = (way: DrawnWay): boolean => way.to === END && open.includes(way.from);
  const stitches = isComposed ? composed.compiled.stitches : [];
  const labelsOf = (way: DrawnWay): readonly string[] => {
    if (isLoose(way)) return ["no stitch"];
    const stitch = stitchNumber(way, stitches);
    if (stitch !== null) return [`stitch ${stitch}`];
    return way.label === "" ? [] : [way.label];
  };
  const metrics = scaleMetrics(COMPACT_METRICS, textScale());
  const layout = isComposed ? authoredLayout(composed.compiled) : {};
  const whole = layoutGraph(graph, { metrics, longestLabelOf: labelsOf, stitches, layout });
  // After an open end only the entry of the next target is drawn.
  const first = composed.joints.findIndex(isUnstitched);
  const waiting = open.length === 0 ? [] : composed.joints.slice(first).map(({ entry }) => entry);
  const drawing = { ...whole, edges: whole.edges.filter(({ way }: PlacedEdge) => !waiting.includes(way.from)) };
  const edges = new Map<string, EdgeMark>(
    drawing.edges.map(({ way }) => [
      way.id,
      { label: labelsOf(way).map((text) => line(text)), ...(isLoose(way) ? { problem: "error" as const } : {}) },
    ]),
  );
  const sockets = new Map<string, SocketMark>(
    open.map((id, index) => [id, { flag: `${index + 1}`, problem: { severity: "error", text: "one of the ends" } }]),
  );
  return { graph, drawing, marks: { edges, sockets } };
}
