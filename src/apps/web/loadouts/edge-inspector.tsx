import type { ReactElement, KeyboardEvent } from "react";
import {
  moveEdge,
  connectSockets,
  removeEdge,
  setEdge,
  setExit,
  removeWay,
  setWay,
  findAuthoredWay,
  type AuthoredWay,
} from "../../../core/edit/edges-and-exits.ts";
import { type Destination, edgeWayId, emptyListWayId } from "../../../core/model/ids.ts";
import { Button } from "../ui/buttons.tsx";
import { FieldRow } from "../ui/fields.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { reorderEdge } from "../loadout-editor/use-editor-keys.ts";
import {
  CONDITION_OPTIONS,
  DeleteButton,
  EditSelect,
  parseCondition,
  socketOptions,
  targetOptions,
  TraversalLimitField,
  ThenField,
} from "./inspector-fields.tsx";
import { ProblemRows } from "./loop-inspector.tsx";
import { bindSheets } from "../ui/classes.ts";
import type { Edge } from "../../../core/model/loadout.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import inspectSheet from "./inspector.module.css";

const css = bindSheets(inspectSheet);

/** One edge or exit of a loop; implicit edges are only explained. */
export function EdgeInspector({ id }: { readonly id: string }): ReactElement {
  const { loadout } = useEditor();
  const way = findAuthoredWay(loadout, id);
  return way ? <AuthoredEdge id={id} way={way} /> : <ImplicitEdge id={id} />;
}

function ImplicitEdge({ id }: { readonly id: string }): ReactElement {
  const { loadout } = useEditor();
  const isEmpty = Object.keys(loadout.loops).some((loop) => id === emptyListWayId(loop));
  return (
    <section className={css("section")} aria-label="Implicit edge">
      <h2 className={css("thing")}>{isEmpty ? "Edge for an empty list" : "Edge to the end"}</h2>
      <p>
        {isEmpty
          ? "Taken when the list is empty: then no socket of the loop runs."
          : "Implicit edge: the cast ends here when no edge or exit matches."}
      </p>
      <p className={css("faint")}>Add an edge or an exit to lead it elsewhere.</p>
    </section>
  );
}

function AuthoredEdge({ id, way }: { readonly id: string; readonly way: AuthoredWay }): ReactElement {
  const { loadout, checked, apply } = useEditor();
  const { from, to, when } = way;
  const isExit = way.kind === "exit";
  const title = isExit ? `Exit of ${way.loop}` : `Edge ${way.index + 1} of ${from}`;
  const inside: readonly string[] = isExit ? (loadout.loops[way.loop]?.sockets ?? []) : [];
  return (
    <section className={css("section")} aria-label={title}>
      <div className={css("row")}>
        <div className={css("grow")}>
          <h2 className={css("thing")}>{title}</h2>
          {isExit && <code className={css("faint breakable")}>{id}</code>}
        </div>
        <DeleteButton what={isExit ? "the exit" : "the edge"} edit={(each) => removeWay(each, id)} unselects />
      </div>
      <ProblemRows faults={checked.problems.filter(({ ways }) => ways.includes(id))} />
      {isExit ? (
        <EditSelect
          row="From"
          label="From"
          value={from}
          options={socketOptions(loadout).filter(({ value }) => inside.includes(value))}
          onPick={(next) => apply(`Leave from ${next}`, (each) => setExit(each, way.loop, way.exit.id, { from: next }))}
        />
      ) : (
        <FieldRow label="From">
          <span>{`${from} ${loadout.sockets[from]?.materia ?? ""}`}</span>
        </FieldRow>
      )}
      <EditSelect
        row={isExit ? "When done" : "When"}
        label="Condition"
        value={when}
        options={CONDITION_OPTIONS}
        onPick={(next) =>
          apply(`Change ${title.toLowerCase()}`, (each) => setWay(each, id, { when: parseCondition(next) }))
        }
      />
      <EditSelect
        row="To"
        label="Target"
        value={to}
        options={targetOptions(loadout).filter(({ value }) => !inside.includes(value))}
        // the options are sockets and the end
        onPick={(next) => apply(`Lead it to ${next}`, (each) => setWay(each, id, { to: next as Destination }))}
      />
      {isExit ? (
        <p className={css("faint")}>
          Taken when the list of the loop is exhausted. It belongs to the loop, not to the socket.
        </p>
      ) : (
        <EdgeLimitAndOrder from={from} index={way.index} />
      )}
    </section>
  );
}

function EdgeLimitAndOrder({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const editor = useEditor();
  const { loadout, readOnly } = editor;
  const count = loadout.sockets[from]?.edges.length ?? 0;
  return (
    <>
      <FieldRow label="Limit">
        <TraversalLimitField from={from} index={index} />
      </FieldRow>
      <ThenField from={from} index={index} />
      <FieldRow label="Order">
        <span className={css("row")}>
          <span className={css("grow")}>{`${index + 1} of ${count}`}</span>
          <Button
            off={readOnly ?? (index === 0 ? "It is the first edge" : null)}
            onClick={() => reorderEdge(editor, from, index, -1)}
          >
            Move earlier
          </Button>
          <Button
            off={readOnly ?? (index + 1 >= count ? "It is the last edge" : null)}
            onClick={() => reorderEdge(editor, from, index, 1)}
          >
            Move later
          </Button>
        </span>
      </FieldRow>
    </>
  );
}

export function EdgeList({ from }: { readonly from: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const edges = loadout.sockets[from]?.edges ?? [];
  const isFull = new Set(edges.map(({ when }) => when)).size === CONDITION_OPTIONS.length;
  return (
    <section className={css("section")} aria-label="Edges">
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
      {edges.length === 0 && <p className={css("faint")}>No edge: the cast ends here.</p>}
      {edges.map((edge, index) => (
        // The index is the key: edges have no id.
        <EdgeRow key={index} from={from} index={index} edge={edge} />
      ))}
      {edges.length > 0 && (
        <p className={css("faint small")}>
          ≤ limits traversals per item. <kbd>Alt</kbd> <kbd>{renderSymbols("↑")}</kbd> <kbd>{renderSymbols("↓")}</kbd>{" "}
          reorders.
        </p>
      )}
    </section>
  );
}

function EdgeRow(props: { readonly from: string; readonly index: number; readonly edge: Edge }): ReactElement {
  const { from, index, edge } = props;
  const { loadout, checked, apply } = useEditor();
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
    <div data-edge className={css("edge-row")} role="group" aria-label={`Edge ${index + 1}`} onKeyDown={reorder}>
      <span className={css("edge-order")} aria-hidden="true">
        {index + 1}
      </span>
      <EditSelect
        label={`Condition of edge ${index + 1}`}
        value={edge.when}
        options={CONDITION_OPTIONS}
        invalid={fault?.issue.severity === "error"}
        onPick={(when) =>
          apply(`Edge ${index + 1} of ${from}`, (each) => setEdge(each, from, index, { when: parseCondition(when) }))
        }
      />
      <EditSelect
        label={`Target of edge ${index + 1}`}
        value={edge.to}
        options={targetOptions(loadout)}
        onPick={(to) =>
          // the options are sockets and the end
          apply(`Lead edge ${index + 1} to ${to}`, (each) => setEdge(each, from, index, { to: to as Destination }))
        }
      />
      <TraversalLimitField from={from} index={index} />
      <DeleteButton what={`edge ${index + 1}`} edit={(each) => removeEdge(each, from, index)} />
    </div>
  );
}
