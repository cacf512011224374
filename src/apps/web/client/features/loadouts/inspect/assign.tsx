import { type ReactElement, useState } from "react";
import { setAssign } from "../../../../../../core/edit/graph/sockets.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { FieldRow, TextField } from "../../../parts/controls/fields.tsx";
import { useEditor } from "../state/editor.ts";
import { closeUndoStep } from "../state/works.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import inspectSheet from "./inspect.module.css";

const css = bindClassNames(inspectSheet, baseSheet);

/** What the socket puts into state: target and source, line by line. */
export function AssignFields({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const [adding, setAdding] = useState(false);
  const assign = Object.entries(loadout.sockets[id]?.assign ?? {});
  const add = (target: string, source: string): void => {
    if (target === "" || source === "") return;
    if (apply(`Assign ${target}`, (each) => setAssign(each, id, { target, source }))) setAdding(false);
  };
  return (
    <>
      <FieldRow label="Assign">
        <span className={css("row")}>
          <span className={css("faint grow")}>{assign.length === 0 ? "Nothing" : `${assign.length} to state`}</span>
          <Button off={readOnly} onClick={() => setAdding(true)}>
            Add
          </Button>
        </span>
      </FieldRow>
      {assign.map(([target, source], index) => (
        // A target may be renamed while it is typed; its place is what stays.
        <AssignRow key={index} id={id} number={index + 1} target={target} source={source} />
      ))}
      {adding && <NewAssignForm onAdd={add} onCancel={() => setAdding(false)} />}
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
  const { name, apply, remove, readOnly } = useEditor();
  return (
    <div className={css("assign")}>
      <TextField
        label={`State path ${number}`}
        mono
        value={target}
        off={readOnly !== null}
        onType={(next) =>
          apply(`Assign ${next}`, (each) => setAssign(each, id, { target: next, source, was: target }), `assign ${id}`)
        }
        onDone={() => closeUndoStep(name)}
      />
      <span aria-hidden="true">=</span>
      <TextField
        label={`Source ${number}`}
        mono
        value={source}
        off={readOnly !== null}
        onType={(next) =>
          apply(`Assign ${target}`, (each) => setAssign(each, id, { target, source: next }), `assign ${id} ${target}`)
        }
        onDone={() => closeUndoStep(name)}
      />
      <Button
        look="bare"
        icon="bin"
        label={`Remove ${target}`}
        off={readOnly}
        onClick={() => remove(`Remove ${target}`, (each) => setAssign(each, id, { target, source: null }))}
      />
    </div>
  );
}

function NewAssignForm(props: {
  readonly onAdd: (target: string, source: string) => void;
  readonly onCancel: () => void;
}): ReactElement {
  const [target, setTarget] = useState("");
  const [source, setSource] = useState("$.context");
  return (
    <form
      className={css("assign")}
      onSubmit={(event) => {
        event.preventDefault();
        props.onAdd(target.trim(), source.trim());
      }}
    >
      <TextField label="State path" mono value={target} placeholder="review" onType={setTarget} />
      <span aria-hidden="true">=</span>
      <TextField label="Source" mono value={source} placeholder="$.context" onType={setSource} />
      <Button type="submit" icon="tick" label="Add the assignment" />
      <Button look="bare" icon="cross" label="Cancel" onClick={props.onCancel} />
    </form>
  );
}
