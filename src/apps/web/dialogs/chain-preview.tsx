import { useMemo, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { TargetRef } from "../../../core/command/command.ts";
import { socketsOf } from "../../../core/compile/graph.ts";
import { authoredLayout, type CompiledChain } from "../../../core/compile/targets/compile.ts";
import { worstCase } from "../../../core/compile/worst-case.ts";
import type { ChainResult } from "../../../core/edit/target-chain.ts";
import { END } from "../../../core/model/ids.ts";
import { countedText } from "../../../core/model/text.ts";
import { destinationText, worstCaseExample, worstCaseText } from "../../../core/view/graph/labels.ts";
import { stitchNumber, type DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { COMPACT_METRICS, scaleMetrics, type PlacedEdge } from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { billEffectsText, billSettings, makeBill } from "../../../core/view/graph/bill.ts";
import { line } from "../../../core/view/line.ts";
import { amountText, costText, durationText } from "../../../core/view/numbers.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { ForecastResponse } from "../../../core/wire/catalog.ts";
import { textScale } from "../browser/display.ts";
import { useCommandOutput } from "../data/use-command.ts";
import type { EdgeMark, SocketMark } from "../graph/graph-marks.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { bindSheets } from "../ui/classes.ts";
import { LabelledField } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";
import { capitalize } from "../ui/status.tsx";
import { isUnstitched } from "./cast-targets.tsx";
import sheet from "./new-cast.module.css";

const css = bindSheets(sheet);

/** The graph of a new cast, what it is for, and what it may take; or why its targets cannot be joined. */
export function CastPreview(props: {
  readonly targets: readonly TargetRef[];
  readonly composed: ChainResult;
  readonly catalog: Catalog;
  readonly model: string;
}): ReactElement {
  const { composed, catalog, model } = props;
  const [items, setItems] = useState(5);
  const [only, ...others] = props.targets;
  const loadout = only?.kind === "loadout" && others.length === 0 ? only.name : null;
  const description = loadout === null ? undefined : catalog.loadouts.get(loadout)?.value?.description;
  const compiled = composed.kind === "composed" ? composed.compiled : null;
  const hasLoop = compiled !== null && Object.keys(compiled.graph.loops).length > 0;
  const effects = useMemo(() => compiled && effectsText(compiled, catalog), [compiled, catalog]);
  return (
    <div className={css("new-cast-side")}>
      {composed.kind !== "empty" && <ComposedGraph composed={composed} />}
      {description !== undefined && <p className={css("secondary")}>{description}</p>}
      {composed.kind === "refused" && <IssueList issues={composed.issues} />}
      {compiled && <ChainFacts compiled={compiled} />}
      {effects !== null && <p className={css("secondary")}>{effects}</p>}
      {loadout !== null && hasLoop && (
        <LabelledField label={`If it makes ${countedText(items, "work item")}`}>
          <input
            type="range"
            min={1}
            max={30}
            value={items}
            onChange={(event) => setItems(Number(event.target.value))}
          />
        </LabelledField>
      )}
      {loadout !== null && <ForecastTable loadout={loadout} items={hasLoop ? items : null} model={model} />}
      {loadout === null && compiled && <p className={css("faint")}>{worstCaseLine(compiled, catalog)}</p>}
    </div>
  );
}

/** [YD3] What the cast runs and who may write, as in its bill. */
function effectsText({ graph, flow }: CompiledChain, { settings }: Catalog): string {
  return capitalize(billEffectsText(makeBill({ graph, flow, past: [], ...billSettings(settings) })));
}

function worstCaseLine({ graph, flow }: CompiledChain, { settings }: Catalog): string {
  const worst = worstCase(graph, flow, settings.limits);
  const example = worstCaseExample(worst);
  return `${capitalize(worstCaseText(graph, worst))}${example === null ? "" : ` · ${example}`}`;
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

function ForecastTable(props: {
  readonly loadout: string;
  readonly items: number | null;
  readonly model: string;
}): ReactElement | null {
  const { loadout, items, model } = props;
  const command: TypedCommand = {
    kind: "forecast",
    loadout,
    ...(items === null ? {} : { items }),
    ...(model === "" ? {} : { model }),
  };
  const { value } = useCommandOutput({ command }, ForecastResponse);
  if (!value || value.loadout !== loadout) return null;
  const { casts, turns, tokens, cost, seconds, unknown } = value;
  const worst = turns.worst === null ? "" : ` It takes at most ${countedText(turns.worst, "turn")}.`;
  if (casts === 0 || turns.p50 === null)
    return <p className={css("faint")}>{`No estimate yet: fewer than 3 comparable casts.${worst}`}</p>;
  const rows = [
    ["Turns", turns, String],
    ["Tokens", tokens, amountText],
    ["Cost", cost, costText],
    ["Time", seconds, (amount: number) => durationText(amount * 1000)],
  ] as const;
  return (
    <table className={css("forecast")}>
      <caption className={css("faint")}>
        {`Forecast from ${countedText(casts, "past cast")}.${worst}`}
        {unknown.length > 0 && ` No past visits: ${unknown.join(", ")}.`}
      </caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Likely</th>
          <th scope="col">9 of 10 stay below</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, range, text]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{text(range.p50 ?? 0)}</td>
            <td>{text(range.p90 ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
