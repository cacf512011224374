import type { ReactElement } from "react";
import { moveEdge } from "../../../../../../core/edit/graph/edges.ts";
import { removeWay, setWay, findAuthoredWay, type AuthoredWay } from "../../../../../../core/edit/graph/ways.ts";
import type { Destination } from "../../../../../../core/model/ids.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { FieldError, Select, FieldRow } from "../../../parts/controls/fields.tsx";
import { edgeWayId, emptyListWayId } from "../../../../../../core/model/way-id.ts";
import { useEditor } from "../state/editor.ts";
import { CONDITION_OPTIONS, parseCondition, socketOptions } from "./conditions.ts";
import { TraversalLimitField } from "./limit-field.tsx";
import { ThenField } from "./then-field.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import workbenchSheet from "../../../parts/controls/workbench.module.css";

const css = bindClassNames(workbenchSheet, baseSheet);

/** One edge, or one exit of a loop; the silent ways that nobody wrote are only explained. */
export function EdgeInspector({ id }: { readonly id: string }): ReactElement {
  const { loadout } = useEditor();
  const way = findAuthoredWay(loadout, id);
  return way ? <AuthoredEdge id={id} way={way} /> : <ImplicitEdge id={id} />;
}

function ImplicitEdge({ id }: { readonly id: string }): ReactElement {
  const { loadout } = useEditor();
  const isEmpty = Object.keys(loadout.loops).some((loop) => id === emptyListWayId(loop));
  return (
    <section className={css("section")} aria-label="Silent way">
      <h2 className={css("thing")}>{isEmpty ? "Empty list" : "Way to the end"}</h2>
      <p>
        {isEmpty
          ? "With no work items no member runs, and the cast goes this way."
          : "Nobody wrote this way. Where no edge or exit matches, the cast ends."}
      </p>
      <p className={css("faint")}>Add an edge or an exit to lead it elsewhere.</p>
    </section>
  );
}

function AuthoredEdge({ id, way }: { readonly id: string; readonly way: AuthoredWay }): ReactElement {
  const { loadout, checked, apply, readOnly } = useEditor();
  const off = readOnly !== null;
  const isExit = way.kind === "exit";
  const from = isExit ? way.exit.from : way.from;
  const to = isExit ? way.exit.targetSocketId : way.edge.to;
  const title = isExit ? `Exit of ${way.loop}` : `Edge ${way.index + 1} of ${from}`;
  const faults = checked.problems.filter(({ ways }) => ways.includes(id));
  const inside = isExit ? (loadout.loops[way.loop]?.sockets ?? []) : [];
  const targets = socketOptions(loadout).filter(({ value }) => !inside.some((member) => member === value));
  return (
    <section className={css("section")} aria-label={title}>
      <EdgeHead id={id} title={title} isExit={isExit} />
      {faults.map(({ key, issue }) => (
        <FieldError key={key} text={issue.message} warning={issue.severity === "warning"} />
      ))}
      <FieldRow label="From">
        <span>{`${from} ${loadout.sockets[from]?.materia ?? ""}`}</span>
      </FieldRow>
      <FieldRow label={isExit ? "When done" : "When"}>
        <Select
          label="Condition"
          value={isExit ? way.exit.condition : way.edge.when}
          options={CONDITION_OPTIONS}
          off={off}
          onPick={(when) =>
            apply(`Change ${title.toLowerCase()}`, (each) => setWay(each, id, { when: parseCondition(when) }))
          }
        />
      </FieldRow>
      <FieldRow label="To">
        <Select
          label="Target"
          value={to}
          options={isExit ? targets : [...targets, { value: "end", label: "end" }]}
          off={off}
          // One of the sockets, or the end: nothing else is offered.
          onPick={(next) => apply(`Lead it to ${next}`, (each) => setWay(each, id, { to: next as Destination }))}
        />
      </FieldRow>
      {!isExit && (
        <>
          <FieldRow label="At most">
            <TraversalLimitField from={way.from} index={way.index} />
          </FieldRow>
          <FieldRow label="Then">
            <ThenField from={way.from} index={way.index} />
          </FieldRow>
          <EdgeOrderRow from={way.from} index={way.index} />
        </>
      )}
      {isExit && (
        <p className={css("faint")}>
          Taken when the list of the loop is exhausted. It belongs to the loop, not to the socket.
        </p>
      )}
    </section>
  );
}

function EdgeHead(props: { readonly id: string; readonly title: string; readonly isExit: boolean }): ReactElement {
  const { id, title, isExit } = props;
  const { remove, select, readOnly } = useEditor();
  return (
    <div className={css("row")}>
      <div className={css("grow")}>
        <h2 className={css("thing")}>{title}</h2>
        {isExit && <code className={css("faint breakable")}>{id}</code>}
      </div>
      <Button
        icon="bin"
        label={`Delete ${isExit ? "the exit" : "the edge"}`}
        off={readOnly}
        onClick={() => {
          if (remove(`Delete ${title.toLowerCase()}`, (each) => removeWay(each, id))) select();
        }}
      />
    </div>
  );
}

function EdgeOrderRow({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const { loadout, apply, select, readOnly } = useEditor();
  const count = loadout.sockets[from]?.edges.length ?? 0;
  const move = (by: -1 | 1): void => {
    if (apply(`Reorder the edges of ${from}`, (each) => moveEdge(each, from, index, by)))
      select({ kind: "edge", id: edgeWayId(from, index + by) });
  };
  return (
    <FieldRow label="Order">
      <span className={css("row")}>
        <span className={css("grow")}>{`${index + 1} of ${count}`}</span>
        <Button off={readOnly ?? (index === 0 ? "It is the first edge" : null)} onClick={() => move(-1)}>
          Earlier
        </Button>
        <Button off={readOnly ?? (index + 1 >= count ? "It is the last edge" : null)} onClick={() => move(1)}>
          Later
        </Button>
      </span>
    </FieldRow>
  );
}
