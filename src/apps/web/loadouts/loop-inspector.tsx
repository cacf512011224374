import { useState, type ReactElement } from "react";
import { addExit, removeExit } from "../../../core/edit/edges-and-exits.ts";
import { removeLoop, renameLoop, setLoopGenerator, setLoopMember, setLoopParallel } from "../../../core/edit/loops.ts";
import { conditionText } from "../../../core/view/graph/labels.ts";
import { Button } from "../ui/buttons.tsx";
import { FieldError, Select, FieldRow, TextField } from "../ui/fields.tsx";
import { exitWayId } from "../../../core/model/ids.ts";
import { useEditor } from "../loadout-editor/editor.ts";
import { knownMateria, type LoadoutProblem } from "../loadout-editor/check-draft.ts";
import { CONDITION_OPTIONS, parseCondition, socketOptions } from "./inspector-fields.tsx";
import { bindSheets } from "../ui/classes.ts";
import inspectSheet from "./inspector.module.css";

const css = bindSheets(inspectSheet);

export function LoopInspector({ id }: { readonly id: string }): ReactElement {
  const { apply, remove, select, readOnly, checked } = useEditor();
  const [name, setName] = useState(id);
  const faults = checked.problems.filter(({ place }) => place.kind === "loop" && place.id === id);
  const rename = (): void => {
    if (name === id) return;
    if (apply(`Rename the loop to ${name}`, (each) => renameLoop(each, id, name))) select({ kind: "loop", id: name });
    else setName(id);
  };
  return (
    <>
      <section className={css("section")} aria-label={`Loop ${id}`}>
        <div className={css("row")}>
          <h2 className={css("thing grow")}>{`Loop ${id}`}</h2>
          <Button
            icon="bin"
            label={`Delete the loop ${id} and its exits`}
            off={readOnly}
            onClick={() => {
              if (remove(`Delete the loop ${id}`, (each) => removeLoop(each, id))) select();
            }}
          />
        </div>
        <ProblemRows faults={faults} />
        <FieldRow label="Name">
          <TextField
            label="Name of the loop"
            mono
            value={name}
            off={readOnly !== null}
            onType={setName}
            onDone={rename}
          />
        </FieldRow>
        <LoopFields id={id} />
      </section>
      <LoopMembers id={id} />
    </>
  );
}

/** Problems of a part, each with its quick fix. */
export function ProblemRows({ faults }: { readonly faults: readonly LoadoutProblem[] }): ReactElement {
  const { apply, readOnly } = useEditor();
  return (
    <>
      {faults.map(({ key, issue, quickFix: mend }) => (
        <div key={key} className={css("row")}>
          <div className={css("grow")}>
            <FieldError text={issue.message} warning={issue.severity === "warning"} />
          </div>
          {mend && readOnly === null && <Button onClick={() => apply(mend.label, mend.edit)}>{mend.label}</Button>}
        </div>
      ))}
    </>
  );
}

/** The list and the exits of a loop; also shown for a member of it. */
export function LoopFields({ id }: { readonly id: string }): ReactElement | null {
  const { loadout, catalog, apply, remove, select, selected, readOnly } = useEditor();
  const [adding, setAdding] = useState(false);
  const loop = loadout.loops[id];
  if (!loop) return null;
  const { isGenerator } = knownMateria(catalog);
  const generators = socketOptions(loadout).filter(({ value }) => isGenerator(loadout.sockets[value]?.materia ?? ""));
  return (
    <>
      {!selected.some(({ kind, id: each }) => kind === "loop" && each === id) && (
        <FieldRow label="Member of">
          <Button look="bare" className={css("link-like")} onClick={() => select({ kind: "loop", id })}>
            {id}
          </Button>
        </FieldRow>
      )}
      <FieldRow label="Consumes">
        <Select
          label="Consumes"
          value={loop.consumes?.from ?? ""}
          options={[...generators, { value: "", label: "Nothing" }]}
          off={readOnly !== null}
          onPick={(from) => apply(`Consume ${from}`, (each) => setLoopGenerator(each, id, from === "" ? null : from))}
        />
      </FieldRow>
      <ParallelField id={id} />
      <FieldRow label="Exits">
        <span className={css("row")}>
          <span className={css("grow faint")}>{loop.exits.length === 0 ? "None: the cast ends" : ""}</span>
          <Button off={readOnly} onClick={() => setAdding(true)}>
            Add
          </Button>
        </span>
      </FieldRow>
      {loop.exits.map((exit) => (
        <div key={exit.id} className={css("row exit")}>
          <Button
            look="bare"
            className={css("link-like grow")}
            onClick={() => select({ kind: "edge", id: exitWayId(id, exit.id) })}
          >
            <span
              className={css("cut")}
            >{`${exit.from} ${conditionText(exit.condition)} → ${exit.targetSocketId}`}</span>
          </Button>
          <Button
            look="bare"
            icon="bin"
            label={`Delete the exit ${exit.id}`}
            off={readOnly}
            onClick={() => remove("Delete an exit", (each) => removeExit(each, id, exit.id))}
          />
        </div>
      ))}
      {adding && <NewExitForm loop={id} onDone={() => setAdding(false)} />}
    </>
  );
}

/** [E33] How many items run at once. */
function ParallelField({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const parallel = loadout.loops[id]?.parallel;
  return (
    <FieldRow label="At once">
      <Select
        label="Items at once"
        value={String(parallel ?? "")}
        options={parallelOptions(parallel)}
        off={readOnly !== null}
        onPick={(items) =>
          apply("Set the items at once", (each) => setLoopParallel(each, id, items === "" ? null : Number(items)))
        }
      />
    </FieldRow>
  );
}

function parallelOptions(current: number | undefined): readonly { value: string; label: string }[] {
  const counts = new Set([2, 3, 4, 6, 8, 16, 32, 64, ...(current === undefined ? [] : [current])]);
  const many = [...counts]
    .toSorted((a, b) => a - b)
    .map((count) => ({ value: `${count}`, label: `${count} items at once` }));
  return [{ value: "", label: "One item after the other" }, ...many];
}

function NewExitForm({ loop, onDone }: { readonly loop: string; readonly onDone: () => void }): ReactElement {
  const { loadout, apply } = useEditor();
  const members = loadout.loops[loop]?.sockets ?? [];
  const mover = members.find((id) => loadout.sockets[id]?.advance) ?? members[0] ?? "";
  const isMember = (id: string): boolean => members.some((member) => member === id);
  const outside = socketOptions(loadout).filter(({ value }) => !isMember(value));
  const [from, setFrom] = useState<string>(mover);
  const [when, setWhen] = useState("always");
  const [to, setTo] = useState(outside[0]?.value ?? "");
  return (
    <form
      className={css("new-exit")}
      onSubmit={(event) => {
        event.preventDefault();
        if (apply("Add an exit", (each) => addExit(each, loop, { from, to, when: parseCondition(when) }))) onDone();
      }}
    >
      <Select
        label="Exit from"
        value={from}
        options={socketOptions(loadout).filter(({ value }) => isMember(value))}
        onPick={setFrom}
      />
      <Select label="Exit condition" value={when} options={CONDITION_OPTIONS} onPick={setWhen} />
      <Select label="Exit to" value={to} options={outside} onPick={setTo} />
      <div className={css("row")}>
        <Button type="submit">Add the exit</Button>
        <Button look="bare" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function LoopMembers({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply, readOnly } = useEditor();
  const members = loadout.loops[id]?.sockets ?? [];
  return (
    <section className={css("section")} aria-label="Members">
      <h3>Members</h3>
      {socketOptions(loadout).map(({ value, label }) => {
        const isMember = members.some((member) => member === value);
        return (
          <label key={value} className={css("check")}>
            <input
              type="checkbox"
              checked={isMember}
              disabled={readOnly !== null}
              onChange={() =>
                apply(isMember ? `Take ${value} out` : `Take ${value} in`, (each) =>
                  setLoopMember(each, id, value, !isMember),
                )
              }
            />
            {label}
          </label>
        );
      })}
    </section>
  );
}
