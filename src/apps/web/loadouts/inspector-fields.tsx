import type { ReactElement } from "react";
import { type LoadoutEdit, setAssign } from "../../../core/edit/loadout-edit.ts";
import { Button } from "../ui/buttons.tsx";
import { FieldRow, TextField, type SelectOption, Select } from "../ui/fields.tsx";
import { useEditor, closeUndoStep } from "../loadout-editor/editor.ts";
import { bindSheets } from "../ui/classes.ts";
import inspectSheet from "./inspector.module.css";
import { type Condition, type Loadout, NEXT_ITEM, type Edge } from "../../../core/model/loadout.ts";
import { END, sortSocketIds } from "../../../core/model/ids.ts";
import { conditionText } from "../../../core/view/graph/labels.ts";
import { setEdge } from "../../../core/edit/edges-and-exits.ts";

const css = bindSheets(inspectSheet);

/** A choice that edits the loadout, in a row if it has a label. */
export function EditSelect(props: Parameters<typeof Select>[0] & { readonly row?: string }): ReactElement {
  const { row, off = false, ...select } = props;
  const { readOnly } = useEditor();
  const field = <Select {...select} off={off || readOnly !== null} />;
  return row === undefined ? field : <FieldRow label={row}>{field}</FieldRow>;
}

export function AssignFields({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const assign = Object.entries(loadout.sockets[id]?.assign ?? {});
  const add = (): void => {
    const names = Array.from({ length: assign.length + 1 }, (_, at) => `value${at + 1}`);
    const target = names.find((name) => !assign.some(([known]) => known === name)) ?? "";
    apply(`Assign ${target}`, (each) => setAssign(each, id, { target, source: "$.context" }));
  };
  return (
    <>
      <FieldRow label="Assign">
        <span className={css("row")}>
          <span className={css("faint grow")}>{assign.length === 0 ? "Nothing" : `${assign.length} to state`}</span>
          <Button off={readOnly} onClick={add}>
            Add
          </Button>
        </span>
      </FieldRow>
      {assign.map(([target, source], index) => (
        // The index is the key: typing may rename a target.
        <AssignRow key={index} id={id} number={index + 1} target={target} source={source} />
      ))}
    </>
  );
}

function AssignRow(props: {
  readonly id: string;
  readonly number: number;
  readonly target: string;
  readonly source: string;
}): ReactElement {
  const { id, number, target, source } = props;
  const { name, apply, readOnly } = useEditor();
  const field = { mono: true, off: readOnly !== null, onDone: () => closeUndoStep(name) };
  return (
    <div className={css("assign")}>
      <TextField
        {...field}
        label={`State path ${number}`}
        value={target}
        onType={(next) =>
          apply(`Assign ${next}`, (each) => setAssign(each, id, { target: next, source, was: target }), `assign ${id}`)
        }
      />
      <span aria-hidden="true">=</span>
      <TextField
        {...field}
        label={`Source ${number}`}
        value={source}
        onType={(next) =>
          apply(`Assign ${target}`, (each) => setAssign(each, id, { target, source: next }), `assign ${id} ${target}`)
        }
      />
      <DeleteButton what={target} edit={(each) => setAssign(each, id, { target, source: null })} />
    </div>
  );
}

/** [E26] Its notice has Undo. */
export function DeleteButton(props: {
  readonly what: string;
  readonly edit: LoadoutEdit;
  /** The deleted part is the selected one. */
  readonly unselects?: boolean;
}): ReactElement {
  const { what, edit, unselects = false } = props;
  const { remove, select, readOnly } = useEditor();
  const act = (): void => {
    if (remove(`Delete ${what}`, edit) && unselects) select();
  };
  return (
    <Button look={unselects ? "plain" : "bare"} icon="bin" label={`Delete ${what}`} off={readOnly} onClick={act} />
  );
}

export const CONDITION_OPTIONS: readonly SelectOption[] = (["always", "satisfied", "not_satisfied"] as const).map(
  (value) => ({ value, label: conditionText(value) }),
);

export function socketOptions(loadout: Loadout): readonly SelectOption[] {
  return sortSocketIds(Object.keys(loadout.sockets)).map((id) => ({
    value: id,
    label: `${id} ${loadout.sockets[id]?.materia ?? ""}`,
  }));
}

export function targetOptions(loadout: Loadout): readonly SelectOption[] {
  return [...socketOptions(loadout), { value: END, label: END }];
}

export function parseCondition(text: string): Condition {
  return text === "satisfied" || text === "not_satisfied" ? text : "always";
}

/** The traversal limit of an edge per item; empty for no limit. */
export function TraversalLimitField({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const { loadout, name, apply, readOnly } = useEditor();
  const most = loadout.sockets[from]?.edges[index]?.maxTraversals;
  const set = (text: string): void => {
    const typed = text.trim();
    if (!/^\d*$/.test(typed)) return;
    const maxTraversals = typed === "" ? null : Number(typed);
    const what = maxTraversals === null ? "Lift the limit" : `Limit to ${maxTraversals}`;
    apply(what, (each) => setEdge(each, from, index, { maxTraversals }), `limit ${from} ${index}`);
  };
  return (
    <TextField
      label="Most traversals per item"
      className={css("limit")}
      before="≤"
      numeric
      value={most === undefined ? "" : `${most}`}
      placeholder="∞"
      off={readOnly !== null}
      onType={set}
      onDone={() => closeUndoStep(name)}
    />
  );
}

export function ThenField({ from, index }: { readonly from: string; readonly index: number }): ReactElement {
  const { loadout, apply } = useEditor();
  const edge = loadout.sockets[from]?.edges[index];
  const looped = Object.values(loadout.loops).some(({ sockets }) => sockets.some((id) => id === from));
  const options = [
    { value: "", label: "the cast fails" },
    ...(looped ? [{ value: NEXT_ITEM, label: "next item" }] : []),
    { value: END, label: END },
    ...socketOptions(loadout),
  ];
  return (
    <EditSelect
      row="After the limit"
      label="After the limit"
      value={edge?.then ?? ""}
      options={options}
      off={edge?.maxTraversals === undefined}
      onPick={(then) =>
        // the options are sockets, the end and the next item
        apply(`Then ${then === "" ? "fail" : then}`, (each) =>
          setEdge(each, from, index, { then: then === "" ? null : (then as NonNullable<Edge["then"]>) }),
        )
      }
    />
  );
}
