import { useState, type ReactElement, useMemo } from "react";
import { diffWords } from "../../../core/model/diff.ts";
import { modelText } from "../../../core/view/report/visit-detail.ts";
import { amountText, durationText, costText } from "../../../core/view/numbers.ts";
import { hrefOf, type PageProps } from "../browser/route.ts";
import { useCommandOutput } from "../data/use-command.ts";
import { useFetched } from "../data/use-fetched.ts";
import { MarkedText, TextDiff } from "../dialogs/diff.tsx";
import { getCast, getVisitFile } from "../net/api.ts";
import { IssueList } from "../ui/issues.tsx";
import { capitalize } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { bindSheets } from "../ui/classes.ts";
import compareSheet from "./compare.module.css";
import type { TypedCommandRequest } from "../../../core/wire/commands.ts";
import { CastComparison, type ComparedSide } from "../../../core/history/compare.ts";
import type { CastResponse } from "../../../core/wire/casts.ts";
import { COMPACT_METRICS, scaleMetrics } from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import type { DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { line } from "../../../core/view/line.ts";
import { playbackOf } from "../cast-replay/use-cast.ts";
import { textScale } from "../browser/display.ts";
import type { EdgeMark, GraphPart, SocketMark } from "../graph/graph-marks.ts";
import { GraphView } from "../graph/graph-view.tsx";

const css = bindSheets(compareSheet);

/** [W30] Two casts side by side: `#/compare/<cast>?with=<cast>`. */
export default function ComparePage({ name, search }: PageProps): ReactElement {
  const other = search.get("with");
  const request: TypedCommandRequest | null =
    name === null || other === null ? null : { command: { kind: "compare", first: name, second: other } };
  const { value, issues, busy } = useCommandOutput(request, CastComparison);
  return (
    <section className={css("view")} aria-label="Comparison">
      <div className={css("page-head")}>
        <h1>Comparison</h1>
      </div>
      {request === null && <p className={css("empty")}>Open a cast and choose Compare with…</p>}
      <div className={css("compared")} aria-busy={busy}>
        <IssueList issues={issues} />
        {value && <Comparison value={value} />}
        {!value && busy && request !== null && <div className={css("skeleton")} role="status" aria-label="Comparing" />}
      </div>
    </section>
  );
}

const COMPARED_FIGURES: readonly (readonly [name: string, text: (side: ComparedSide) => string])[] = [
  ["Loadout", ({ loadout }) => loadout],
  ["End", ({ outcome }) => capitalize(outcome.replaceAll("_", " "))],
  ["Models", ({ models }) => models.map(modelText).join(", ")],
  ["Visits", ({ visits }) => String(visits)],
  ["Items done", ({ itemsDone }) => String(itemsDone)],
  ["Tokens", ({ tokens }) => amountText(tokens)],
  ["Cost", ({ cost }) => costText(cost)],
  ["Time", ({ seconds }) => durationText(seconds * 1000)],
];

function Comparison({ value }: { readonly value: CastComparison }): ReactElement {
  const { first, second, visits, files } = value;
  const [before, after] = [useCastResponse(first.castId), useCastResponse(second.castId)];
  const requests = before && after && diffWords(before.castFile.request, after.castFile.request);
  return (
    <>
      <table className={css("panel beside")}>
        <caption className={css("spoken")}>Figures of both casts</caption>
        <thead>
          <tr>
            <td />
            {[first, second].map(({ castId }, side) => (
              // The index is the key: both sides may be the same cast.
              <th key={side} scope="col">
                <a href={hrefOf("casts", castId)}>
                  <code>{castId}</code>
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {requests && (
            <tr>
              <th scope="row">Request</th>
              {[requests.before, requests.after].map((pieces, side) => (
                <td key={side} dir="auto">
                  <MarkedText pieces={pieces} />
                </td>
              ))}
            </tr>
          )}
          {COMPARED_FIGURES.map(([name, text]) => (
            <tr key={name} className={css(text(first) === text(second) ? "" : "differs")}>
              <th scope="row">{name}</th>
              <td>{renderSymbols(text(first))}</td>
              <td>{renderSymbols(text(second))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {before && after && <ComparedGraphs before={before} after={after} />}
      <DifferingFiles files={files} />
      <h2>Path and handoffs</h2>
      <ol className={css("panel")} aria-label="Visits of both casts">
        {visits.map((row, index) => (
          // The index is the key: either side may be missing.
          <ComparedVisitRow key={index} row={row} casts={[first.castId, second.castId]} />
        ))}
      </ol>
    </>
  );
}

function DifferingFiles({ files }: { readonly files: CastComparison["files"] }): ReactElement {
  if (files === null) return <p className={css("secondary")}>Files were not kept for both.</p>;
  if (files.length === 0) return <p className={css("secondary")}>Their files are the same at the end.</p>;
  return (
    <details>
      <summary>{files.length === 1 ? "1 file differs at the end" : `${files.length} files differ at the end`}</summary>
      <ul className={css("file-names")}>
        {files.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

type ComparedVisit = CastComparison["visits"][number];

function ComparedVisitRow(props: {
  readonly row: ComparedVisit;
  readonly casts: readonly [string, string];
}): ReactElement {
  const { row, casts } = props;
  const [isOpen, setOpen] = useState(false);
  const { left, right, same } = row;
  const handed = (left?.handed ?? "") !== (right?.handed ?? "");
  const words = !left || !right ? "Only on one side" : handed ? "Handoff differs" : same ? "Same handoff" : "Differs";
  return (
    <li className={css(same ? "path-row" : "path-row differs")} data-sockets={`${left?.visit} ${right?.visit}`}>
      <span className={css("path-mark")} aria-hidden="true">
        {same ? "" : renderSymbols("≠")}
      </span>
      <VisitLink visit={left} castId={casts[0]} />
      <VisitLink visit={right} castId={casts[1]} />
      <button type="button" className={css("handed-button")} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words}
      </button>
      {isOpen && (
        <div className={css("handed-diff")}>
          <h3>Handoff</h3>
          <TextDiff before={left?.handed ?? ""} after={right?.handed ?? ""} label="Handoff" />
          <h3>Prompt</h3>
          <PromptDiff left={left} right={right} casts={casts} />
        </div>
      )}
    </li>
  );
}

/** Both prompts are read when the row is opened; utilities have none. */
function PromptDiff(props: Omit<ComparedVisit, "same"> & { readonly casts: readonly [string, string] }): ReactElement {
  const { left, right, casts } = props;
  const [before, after] = [usePrompt(casts[0], left), usePrompt(casts[1], right)];
  if (before === null || after === null) return <p className={css("faint")}>Reading…</p>;
  return <TextDiff before={before} after={after} label="Prompt" />;
}

/** Null while it loads. */
function usePrompt(castId: string, visit: ComparedVisit["left"]): string | null {
  const key = visit ? `${castId} ${visit.visit}` : null;
  const [socket = "", number = ""] = visit?.visit.split("#") ?? [];
  const file = { socket, visit: Number(number), name: "prompt.md" } as const;
  const asked = useFetched(key, key ?? "", (signal) => getVisitFile(castId, file, signal));
  if (key === null || asked.kind === "refused") return "";
  return asked.kind === "loaded" ? asked.value : null;
}

function useCastResponse(castId: string): CastResponse | null {
  const asked = useFetched(castId, castId, (signal) => getCast(castId, signal));
  return asked.kind === "loaded" ? asked.value : null;
}

function VisitLink(props: { readonly visit: ComparedVisit["left"]; readonly castId: string }): ReactElement {
  const { visit, castId } = props;
  if (!visit) return <span className={css("faint path-side")}>–</span>;
  return (
    <a className={css("path-side cut")} href={hrefOf("casts", castId, { visit: visit.visit })}>
      {visit.materia} <span className={css("faint")}>{visit.visit}</span>
    </a>
  );
}

/** [W52] Both graphs, drawn alike, with the counts of each; a socket that the other visited more or less often says so. */
function ComparedGraphs(props: { readonly before: CastResponse; readonly after: CastResponse }): ReactElement {
  const { before, after } = props;
  const sides = useMemo(() => [before, after].map(drawCast), [before, after]);
  return (
    <div className={css("graphs")}>
      {sides.map((side, index) => (
        // The index is the key: both sides may be the same cast.
        <section key={index} className={css("panel graph-side")} aria-label={`Graph of the ${SIDE_NAMES[index]} cast`}>
          <GraphView
            graph={side.graph}
            drawing={side.drawing}
            marks={marksOf(side, sides[1 - index])}
            label={`${side.graph.name}, ${SIDE_NAMES[index]} cast`}
            onSelect={showVisitsOf}
            compact
            fitWhole
          />
        </section>
      ))}
    </div>
  );
}

const SIDE_NAMES = ["first", "second"] as const;

function showVisitsOf(part: GraphPart | null): void {
  const row = part?.kind === "socket" && document.querySelector(`[data-sockets*="${CSS.escape(`${part.id}#`)}"]`);
  if (row) row.scrollIntoView({ block: "center" });
}

type DrawnCast = ReturnType<typeof drawCast>;

function drawCast(cast: CastResponse) {
  const playback = playbackOf(cast);
  const { graph, stitches, layout } = cast.castFile;
  const drawing = layoutGraph(graph, {
    metrics: scaleMetrics(COMPACT_METRICS, textScale()),
    longestLabelOf: ({ label }) => [`${label} 999×`],
    stitches,
    layout: layout ?? {},
  });
  const counts = new Map<string, number>();
  const count = (id: string): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { socket } of playback.visitsAt(playback.lastSeq())) count(socket);
  for (const { id } of playback.waysTakenAt(playback.lastSeq())) count(id);
  return { graph, drawing, counts };
}

function marksOf({ drawing, counts, graph }: DrawnCast, other: DrawnCast | undefined) {
  const socketMark = (id: string): SocketMark => {
    const visits = counts.get(id) ?? 0;
    const there =
      other?.graph.sockets[id]?.materia === graph.sockets[id]?.materia ? (other?.counts.get(id) ?? 0) : visits;
    return {
      state: visits === 0 ? "todo" : "visited",
      visits: visits === 0 ? "–" : `${visits}×`,
      ...(there === visits ? {} : { tag: `other ${there}×` }),
    };
  };
  const edgeMark = ({ id, label }: DrawnWay): EdgeMark => {
    const taken = counts.get(id) ?? 0;
    const text = [label, ...(taken > 0 ? [`${taken}×`] : [])].filter((part) => part !== "").join(" ");
    return { visits: taken > 0 ? "visited" : "unvisited", label: text === "" ? [] : [line(text)] };
  };
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(id)])),
    edges: new Map(drawing.edges.map(({ way }) => [way.id, edgeMark(way)])),
  };
}
