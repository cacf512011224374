import { useEffect, useState, type ReactElement, useMemo } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import {
  coveragePercent,
  edgeName,
  emptyListName,
  exitName,
  edgeLimitName,
  unmatchedName,
  exhaustedEdgeName,
} from "../../../core/history/way-names.ts";
import { TestsResponse } from "../../../core/wire/catalog.ts";
import { fetchCommandOutput, getTestFiles } from "../net/api.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { IssueList } from "../ui/issues.tsx";
import { bindSheets } from "../ui/classes.ts";
import testsSheet from "./tests.module.css";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { compileTargets, authoredLayout } from "../../../core/compile/targets/compile.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { useScreenWidth } from "../browser/display.ts";
import { GraphView } from "../graph/graph-view.tsx";
import type { Graph } from "../../../core/compile/graph.ts";
import type { DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { NEXT_ITEM } from "../../../core/model/loadout.ts";
import { line } from "../../../core/view/line.ts";
import { drawingMetrics, type EdgeMark, type SocketMark } from "../graph/graph-marks.ts";

const css = bindSheets(testsSheet);

/** [W31] Runs the tests of the project and shows the coverage of each loadout. */
export default function TestsPage(): ReactElement {
  const { told, files, issues, busy, run } = useTestRun();
  const untrusted = issues.some(({ code }) => code === "untrusted_project");
  const failed = told?.tests.filter(({ ok }) => !ok).length ?? 0;
  return (
    <section className={css("view")} aria-label="Tests">
      <div className={css("page-head")}>
        <h1>Tests</h1>
        <Button look="primary" icon="play" busy={busy} onClick={() => void run(untrusted)}>
          {untrusted ? "Trust the project and run" : "Run all tests"}
        </Button>
        <span className={css("secondary")} role="status">
          {busy
            ? "Running, without a model…"
            : told && `${failed === 0 ? "" : `${failed} failed, `}${told.tests.length - failed} passed`}
        </span>
      </div>
      <IssueList issues={issues} />
      {!told && files?.length === 0 && (
        <p className={css("empty")}>
          This project has no tests. To write one, open a finished cast and choose <i>Record as a test…</i>
        </p>
      )}
      {!told && files !== null && files.length > 0 && (
        <ul className={css("panel not-run")} aria-label="Tests">
          {files.map((file) => (
            <li key={file} className={css("test")}>
              <span className={css("breakable light")}>{file}</span>
              <span className={css("faint")}>not run yet</span>
            </li>
          ))}
        </ul>
      )}
      {told && <TestResults told={told} />}
    </section>
  );
}

function useTestRun() {
  const [told, setTold] = useState<TestsResponse | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const [files, setFiles] = useState<readonly string[] | null>(null);
  useEffect(() => {
    void getTestFiles().then((answer) => (answer.ok ? setFiles(answer.value.files) : setIssues(answer.issues)));
  }, []);
  const run = async (trust: boolean): Promise<void> => {
    setBusy(true);
    const answer = await fetchCommandOutput({ command: { kind: "test", paths: [] }, trust }, TestsResponse);
    setBusy(false);
    setTold(answer.ok ? answer.value : null);
    setIssues(answer.ok ? [] : answer.issues);
  };
  return { told, files, issues, busy, run };
}

function TestResults({ told }: { readonly told: TestsResponse }): ReactElement {
  const { catalog } = useCatalog();
  const names = Object.keys(told.coverage);
  const [chosen, setChosen] = useState<string | null>(null);
  const loadout = chosen ?? names[0];
  const covered = loadout === undefined ? undefined : told.coverage[loadout];
  return (
    <div className={css("results")}>
      <div className={css("panel results-list")}>
        <ul aria-label="Tests">
          {told.tests.map((test) => (
            <TestRow key={test.file} test={test} />
          ))}
        </ul>
        {names.length > 0 && <h2 className={css("results-title")}>Coverage</h2>}
        <ul aria-label="Coverage">
          {Object.entries(told.coverage).map(([name, coverage]) => (
            <li key={name}>
              <button
                type="button"
                className={css("covered")}
                aria-pressed={name === loadout}
                onClick={() => setChosen(name)}
              >
                <span className={css("cut grow")}>{name}</span>
                <b>{`${coveragePercent(coverage)} %`}</b>
                <span className={css("faint")}>{`${coverage.taken} of ${coverage.of}`}</span>
              </button>
            </li>
          ))}
        </ul>
        {covered && covered.missing.length > 0 && (
          <>
            <h3 className={css("results-title")}>Never taken</h3>
            <ul className={css("never-taken")}>
              {covered.missing.map((name) => (
                <li key={name}>
                  <code>{name}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {covered && loadout !== undefined && catalog && (
        <div className={css("panel covered-graph")}>
          <CoverageGraph catalog={catalog} loadout={loadout} missing={covered.missing} />
        </div>
      )}
    </div>
  );
}

function TestRow({ test }: { readonly test: TestsResponse["tests"][number] }): ReactElement {
  const { file, ok, failures } = test;
  return (
    <li className={css("test")}>
      <span className={css(`status ${ok ? "good" : "bad"}`)}>
        <Icon name={ok ? "tick" : "cross"} />
        <span className={css("breakable light")}>{file}</span>
        <span className={css("spoken")}>{ok ? "passed" : "failed"}</span>
      </span>
      {failures.map(({ what, expected, got, where }, index) => (
        // The index is the key: failures may repeat.
        <dl key={index} className={css("failure")}>
          <dt>{what}</dt>
          <dd className={css("faint")}>{where}</dd>
          <dt>expected</dt>
          <dd className={css("monospace")}>{valueText(expected)}</dd>
          <dt>got</dt>
          <dd className={css("monospace")}>{valueText(got)}</dd>
        </dl>
      ))}
    </li>
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}

/** The graph of a loadout; uncovered parts have the warning color. */
function CoverageGraph(props: {
  readonly catalog: Catalog;
  readonly loadout: string;
  readonly missing: readonly string[];
}): ReactElement {
  const { catalog, loadout, missing } = props;
  const width = useScreenWidth();
  const compact = width === "small";
  const drawn = useMemo(() => {
    const compiled = compileTargets([{ kind: "loadout", name: loadout }], catalog);
    if (!compiled.ok) return null;
    const { graph } = compiled.value;
    const never = new Set(missing);
    const drawing = layoutGraph(graph, {
      metrics: drawingMetrics(compact, false),
      longestLabelOf: (way) => coverageLabel(way, missingText(graph, way, never)),
      layout: authoredLayout(compiled.value),
    });
    const sockets = new Map(drawing.sockets.map(({ id }) => [id, socketMark(never.has(id))]));
    const edges = new Map(drawing.edges.map(({ way }) => [way.id, edgeMark(graph, way, never)]));
    return { graph, drawing, marks: { sockets, edges } };
  }, [catalog, loadout, missing, compact]);
  if (!drawn)
    return (
      <p className={css("faint")}>This loadout has problems and cannot be drawn. Open it under Loadouts to fix them.</p>
    );
  return <GraphView {...drawn} label={`${loadout}, test coverage`} compact={compact} />;
}

function socketMark(isMissing: boolean): SocketMark {
  return isMissing
    ? { state: "todo", problem: { severity: "warning", text: "not covered by a test" } }
    : { state: "visited" };
}

/** [W31] The label says which limit of a covered edge no test reached. */
function missingText(graph: Graph, way: DrawnWay, missing: ReadonlySet<string>): string | null {
  return coverageNames(graph, way).find(([name]) => missing.has(name))?.[1] ?? null;
}

function edgeMark(graph: Graph, way: DrawnWay, missing: ReadonlySet<string>): EdgeMark {
  const words = missingText(graph, way, missing);
  const label = coverageLabel(way, words).map((text) => line(text));
  return words === null ? { visits: "visited", label } : { visits: "unvisited", problem: "warning", label };
}

function coverageLabel({ label }: DrawnWay, missing: string | null): readonly string[] {
  return [label, missing ?? ""].filter((text) => text !== "");
}

/** The coverage key of an edge, and the text for an uncovered one. */
function coverageNames(graph: Graph, way: DrawnWay): readonly (readonly [name: string, words: string])[] {
  const never = (name: string): readonly [string, string] => [name, "never taken"];
  if (way.via === "items") return [[emptyListName(way.loop ?? ""), "never empty"]];
  if (way.via === "none")
    return [
      never(unmatchedName(way.from, way.to)),
      ...(way.loop === undefined ? [] : [never(emptyListName(way.loop))]),
    ];
  if (way.via === "exit") {
    const exit = graph.loops[way.loop ?? ""]?.exits[way.index ?? -1];
    return exit ? [never(exitName(graph, way.loop ?? "", exit.id))] : [];
  }
  const edge = graph.sockets[way.from]?.edges[way.index ?? -1];
  if (!edge) return [];
  if (way.then) return [never(exhaustedEdgeName(way.from, edge))];
  const after = edge.then === NEXT_ITEM ? [[exhaustedEdgeName(way.from, edge), "never used up"] as const] : [];
  return [never(edgeName(way.from, edge)), [edgeLimitName(way.from, edge), "limit never reached"], ...after];
}
