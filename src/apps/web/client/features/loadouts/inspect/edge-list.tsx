import type { KeyboardEvent, ReactElement } from "react";
import { connectSockets, moveEdge, removeEdge, setEdge } from "../../../../../../core/edit/graph/edges.ts";
import type { Destination } from "../../../../../../core/model/ids.ts";
import type { Edge } from "../../../../../../core/model/loadout.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Select } from "../../../parts/controls/fields.tsx";
import { edgeWayId } from "../../../../../../core/model/way-id.ts";
import { useEditor } from "../state/editor.ts";
import { CONDITION_OPTIONS, parseCondition, socketOptions } from "./conditions.ts";
import { TraversalLimitField } from "./limit-field.tsx";
import { renderSymbols } from "../../../parts/marks/words.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import workbenchSheet from "../../../parts/controls/workbench.module.css";
import inspectSheet from "./inspect.module.css";

const edgeListCss = bindClassNames(inspectSheet, workbenchSheet, baseSheet);

/** The ways out of a socket in the order in which they are tried. */
export function EdgeList({ from }: { readonly from: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const edges = loadout.sockets[from]?.edges ?? [];
  const isFull =
    edges.length > 0 &&
    ["always", "satisfied", "not_satisfied"].every((when) => edges.some((edge) => edge.when === when));
  return (
    <section className={edgeListCss("section")} aria-label="Edges">
      <h3>
        Edges, first match wins
        <Button
          icon="plus"
          off={readOnly ?? (isFull ? "There is an edge for every answer" : null)}
          onClick={() => apply(`Add an edge to ${from}`, (each) => connectSockets(each, { from, to: "end" }))}
        >
          Add
        </Button>
      </h3>
      {edges.length === 0 && <p className={edgeListCss("faint")}>No edge: the cast ends here.</p>}
      {edges.map((edge, index) => (
        // Edges have no identity but their place in the order.
        <EdgeRow key={index} from={from} index={index} edge={edge} />
      ))}
      {edges.length > 0 && (
        <p className={edgeListCss("faint small")}>
          ≤ limits traversals per item. <kbd>Alt</kbd> <kbd>{renderSymbols("↑")}</kbd> <kbd>{renderSymbols("↓")}</kbd> reorders.
        </p>
      )}
    </section>
  );
}

function EdgeRow({
  from,
  index,
  edge,
}: {
  readonly from: string;
  readonly index: number;
  readonly edge: Edge;
}): ReactElement {
  const { loadout, checked, apply, remove, readOnly } = useEditor();
  const off = readOnly !== null;
  const fault = checked.problems.find(({ ways }) => ways.includes(edgeWayId(from, index)));
  const reorder = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
    if (!event.altKey || by === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (!apply(`Reorder the edges of ${from}`, (each) => moveEdge(each, from, index, by))) return;
    const rows = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[data-edge]");
    rows?.[index + by]?.querySelector<HTMLElement>("select")?.focus();
  };
  return (
    <div data-edge className={edgeListCss("edge-row")} role="group" aria-label={`Edge ${index + 1}`} onKeyDown={reorder}>
      <span className={edgeListCss("edge-order")} aria-hidden="true">
        {index + 1}
      </span>
      <Select
        label={`Condition of edge ${index + 1}`}
        value={edge.when}
        options={CONDITION_OPTIONS}
        off={off}
        invalid={fault?.issue.severity === "error"}
        onPick={(when) =>
          apply(`Edge ${index + 1} of ${from}`, (each) => setEdge(each, from, index, { when: parseCondition(when) }))
        }
      />
      <Select
        label={`Target of edge ${index + 1}`}
        value={edge.to}
        options={[...socketOptions(loadout), { value: "end", label: "end" }]}
        off={off}
        onPick={(to) =>
          // One of the sockets, or the end: nothing else is offered.
          apply(`Lead edge ${index + 1} to ${to}`, (each) => setEdge(each, from, index, { to: to as Destination }))
        }
      />
      <TraversalLimitField from={from} index={index} />
      <Button
        look="bare"
        icon="bin"
        label={`Delete edge ${index + 1}`}
        off={readOnly}
        onClick={() => remove(`Delete edge ${index + 1} of ${from}`, (each) => removeEdge(each, from, index))}
      />
    </div>
  );
}
