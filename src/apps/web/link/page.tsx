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
import { ChainPanel } from "./chain-panel.tsx";
import { ChainDetails } from "./chain-details.tsx";
import { ChainGraph } from "./chain-graph.tsx";
import { redoChain, setChain, undoChain, useChain, useChainHistory } from "./use-chain.ts";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import marksSheet from "../ui/marks.module.css";
import workbenchSheet from "../ui/editor-layout.module.css";
import linkSheet from "./link.module.css";

const css = bindClassNames(linkSheet, workbenchSheet, marksSheet, baseSheet);

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
