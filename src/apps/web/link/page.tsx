import { useMemo, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { targetText } from "../../../core/command/command.ts";
import { chainCommand, composeChain, type ChainResult } from "../../../core/edit/target-chain.ts";
import { useCommand } from "../data/use-command.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { Button, UndoRedoButtons } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { toast } from "../ui/toasts.tsx";
import { ChainPanel, isUnstitched } from "./chain-panel.tsx";
import { ChainDetails } from "./chain-details.tsx";
import { redoChain, setChain, undoChain, useChain, useChainHistory } from "./use-chain.ts";
import { bindSheets } from "../ui/classes.ts";
import linkSheet from "./link.module.css";
import { authoredLayout } from "../../../core/compile/targets/compile.ts";
import { END } from "../../../core/model/ids.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import {
  type DrawnLine,
  type PlacedEdge,
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
} from "../../../core/view/layout/drawing.ts";
import { line } from "../../../core/view/line.ts";
import { GraphView } from "../graph/graph-view.tsx";
import type { EdgeMark, GraphMarks, SocketMark } from "../graph/graph-marks.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";

const css = bindSheets(linkSheet);

export default function LinkPage(): ReactElement {
  const { catalog, issues } = useCatalog();
  return (
    <>
      <div className={css("link-head")}>
        <h1>Link</h1>
        <span className={css("secondary")}>Chain materia and loadouts into one cast. Nothing is saved.</span>
      </div>
      {catalog ? (
        <ChainEditor catalog={catalog} />
      ) : (
        <div className={css("blank")}>{issues.map(({ message }) => message).join(" ")}</div>
      )}
    </>
  );
}

function ChainEditor({ catalog }: { readonly catalog: Catalog }): ReactElement {
  const chain = useChain();
  const composed = useMemo(() => composeChain(chain, catalog), [chain, catalog]);
  return (
    <div className={css("link-grid")}>
      <section className={css("panel")} aria-label="Chain">
        <div className={css("panel-head")}>
          <h2>Chain</h2>
          <span className={css("grow")} />
          <UndoButtons />
          <Button
            look="bare"
            off={chain.targets.length === 0 ? "The chain is empty" : null}
            onClick={() => {
              setChain({ targets: [], from: null }, "Clear the chain");
              toast({ text: "The chain is empty.", action: { label: "Undo", act: undoChain } });
            }}
          >
            Clear
          </Button>
        </div>
        <ChainPanel catalog={catalog} chain={chain} composed={composed} />
        <RunBar composed={composed} />
      </section>
      <section className={css("panel")} aria-label="Composed graph">
        <div className={css("panel-head")}>
          <h2>Composed graph</h2>
          <span className={css("faint")}>{countsText(composed)}</span>
        </div>
        <ChainGraph composed={composed} />
      </section>
      <section className={css("panel")} aria-label="Details">
        <ChainDetails composed={composed} chain={chain} catalog={catalog} />
      </section>
    </div>
  );
}

function UndoButtons(): ReactElement {
  const { past, future } = useChainHistory();
  useKeysOutsideDialogs({ "ctrl+z": undoChain, "ctrl+shift+z": redoChain, "ctrl+y": redoChain });
  return <UndoRedoButtons back={past.at(-1)} on={future[0]} onUndo={undoChain} onRedo={redoChain} />;
}

function countsText(composed: ChainResult): string {
  if (composed.kind === "empty") return "";
  if (composed.kind === "refused") return "not composed";
  const { graph, stitches } = composed.compiled;
  const sockets = Object.keys(graph.sockets).length;
  return `${sockets} ${sockets === 1 ? "socket" : "sockets"}, ${stitches.length} ${stitches.length === 1 ? "stitch" : "stitches"}`;
}

/** The result of the composition, and its actions. */
function RunBar({ composed }: { readonly composed: ChainResult }): ReactElement {
  const chain = useChain();
  const command = useCommand();
  const [rehearses, setRehearses] = useState(false);
  const off =
    composed.kind === "empty"
      ? "Add a target first"
      : composed.kind === "refused"
        ? "The chain is refused"
        : chain.request.trim() === ""
          ? "Write a request first"
          : null;
  const run = async (): Promise<void> => {
    if (off !== null || command.busy !== null) return;
    const castId = await command.run(chainCommand(chain), "Link started");
    if (castId !== null && castId !== "") navigate(hrefOf("casts", castId));
  };
  useKeysOutsideDialogs({ "ctrl+enter": () => void run() });
  return (
    <div className={css("panel-head foot")}>
      {composed.kind === "composed" && (
        <span className={css("status good")}>
          <Icon name="tick" />
          Composes
        </span>
      )}
      {composed.kind === "refused" && (
        <span className={css("status bad")}>
          <Icon name="cross" />
          Refused
        </span>
      )}
      <span className={css("grow")} />
      <Button off={off} onClick={() => setRehearses(true)}>
        Rehearse…
      </Button>
      <Button
        look={off === null ? "primary" : "plain"}
        icon="play"
        busy={command.busy !== null}
        off={off}
        onClick={() => void run()}
      >
        Run link
      </Button>
      {rehearses && composed.kind === "composed" && (
        <RehearseDialog
          title="Rehearse the link"
          graph={composed.compiled.graph}
          target={{ targets: chain.targets.map(targetText) }}
          request={chain.request}
          onClose={() => setRehearses(false)}
        />
      )}
    </div>
  );
}

/** The graph of the chain, one band per target, with stitches or red open ends. */
function ChainGraph({ composed }: { readonly composed: ChainResult }): ReactElement {
  if (composed.kind === "empty")
    return (
      <div className={css("graph-empty")}>
        <p>The composed graph appears here.</p>
        <p className={css("faint")}>Add two targets to see how they are joined.</p>
      </div>
    );
  if (composed.kind === "refused" && !composed.parts)
    return (
      <div className={css("graph-empty")}>
        <p>The chain cannot be drawn.</p>
        <p className={css("faint")}>Why stands beside it.</p>
      </div>
    );
  return <DrawnChain composed={composed} />;
}

function DrawnChain({ composed }: { readonly composed: Exclude<ChainResult, { kind: "empty" }> }): ReactElement | null {
  const width = useScreenWidth();
  const compact = width === "small";
  const graph = composed.kind === "composed" ? composed.compiled.graph : composed.parts;
  const drawn = useMemo(() => {
    if (!graph) return null;
    const metrics = scaleMetrics(compact ? COMPACT_METRICS : REGULAR_METRICS, textScale());
    const open = composed.kind === "refused" ? composed.joints.filter(isUnstitched).flatMap(({ ends }) => ends) : [];
    const isLoose = (way: DrawnLine): boolean => way.via !== "items" && way.to === END && open.includes(way.from);
    const stitches = composed.kind === "composed" ? composed.compiled.stitches : [];
    const labels = new Map<string, readonly string[]>();
    const labelOf = (way: DrawnLine): readonly string[] => {
      const lines = edgeLabelLines(way, stitches, isLoose(way));
      labels.set(way.id, lines);
      return lines;
    };
    const layout = composed.kind === "composed" ? authoredLayout(composed.compiled) : {};
    const whole = layoutGraph(graph, { metrics, longestLabelOf: labelOf, stitches, layout });
    // After an open end only the entry of the next target is drawn.
    const waiting =
      composed.kind === "refused"
        ? composed.joints
            .filter((_, index) => index >= composed.joints.findIndex(isUnstitched))
            .map(({ entry }) => entry)
        : [];
    const isShown = ({ way }: PlacedEdge): boolean => open.length === 0 || !waiting.includes(way.from);
    const drawing = { ...whole, edges: whole.edges.filter(isShown) };
    const edges = new Map<string, EdgeMark>(
      drawing.edges.map(({ way }) => [
        way.id,
        {
          label: (labels.get(way.id) ?? []).map((text) => line(text)),
          ...(isLoose(way) ? { problem: "error" as const } : {}),
        },
      ]),
    );
    const sockets = new Map<string, SocketMark>(
      open.map((id, index) => [id, { flag: `${index + 1}`, problem: { severity: "error", text: "one of the ends" } }]),
    );
    const marks: GraphMarks = { edges, sockets };
    return { drawing, marks, isArranged: Object.keys(layout).length > 0 };
  }, [graph, composed, compact]);
  if (!graph || !drawn) return null;
  return (
    <GraphView
      graph={graph}
      drawing={drawn.drawing}
      marks={drawn.marks}
      label={`Composed graph, ${drawn.drawing.sockets.length} sockets`}
      compact={compact}
      fullHeight={width !== "large"}
      fitWhole={drawn.isArranged}
    />
  );
}

function edgeLabelLines(
  way: DrawnLine,
  stitches: readonly { readonly from: string; readonly to: string }[],
  loose: boolean,
): readonly string[] {
  if (way.via === "items") return ["work items"];
  if (loose) return ["no stitch"];
  const stitch = stitches.findIndex(({ from, to }) => from === way.from && to === way.to);
  if (stitch !== -1) return [`stitch ${stitch + 1} · ${way.from} → ${way.to}`];
  return way.label === "" ? [] : [way.label];
}
