import type { ReactElement, ReactNode } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import { explainGraph } from "../../../core/view/graph/export.ts";
import { css } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";

/** [YD14] What a loadout or a cast does, from its graph and without a model. */
export function ExplainDialog(props: {
  readonly name: string;
  /** Null while it has problems. */
  readonly graph: Graph | null;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}): ReactElement {
  const { name, graph, children, onClose } = props;
  return (
    <Dialog title={`What ${name} does`} onClose={onClose}>
      <div className={css("dialog-body")}>
        {!graph && <p className={css("faint")}>Solve its problems first.</p>}
        {graph && explainGraph(graph).map((sentence) => <p key={sentence}>{sentence}</p>)}
        {children}
      </div>
    </Dialog>
  );
}
