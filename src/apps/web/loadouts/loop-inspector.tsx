import { useState, type ReactElement } from "react";
import { addExit, removeExit } from "../../../core/edit/edges-and-exits.ts";
import { removeLoop, renameLoop, setLoopGenerator, setLoopMember, setLoopParallel } from "../../../core/edit/loops.ts";
import { conditionText } from "../../../core/view/graph/labels.ts";
import { Button } from "../ui/buttons.tsx";
import { FieldError, FieldRow, TextField } from "../ui/fields.tsx";
import { includesPart } from "../graph/graph-marks.ts";
import { exitWayId } from "../../../core/model/ids.ts";
import { useEditor, knownMateria, type LoadoutProblem } from "../loadout-editor/editor.ts";
import type { Exit, Loop } from "../../../core/model/loadout.ts";
import { DeleteButton, EditSelect, socketOptions } from "./inspector-fields.tsx";
import { bindSheets } from "../ui/classes.ts";
import inspectSheet from "./inspector.module.css";

const css = bindSheets(inspectSheet);

export function LoopInspector({ id }: { readonly id: string }): ReactElement {
  const { apply, select, readOnly, checked } = useEditor();
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
          <DeleteButton what={`the loop ${id}`} edit={(each) => removeLoop(each, id)} unselects />
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
  const { loadout, catalog, apply, select, selected } = useEditor();
  const loop = loadout.loops[id];
  if (!loop) return null;
  const { isGenerator } = knownMateria(catalog);
  const generators = socketOptions(loadout).filter(({ value }) => isGenerator(loadout.sockets[value]?.materia ?? ""));
  return (
    <>
      {!includesPart(selected, { kind: "loop", id }) && (
        <FieldRow label="Member of">
          <Button look="bare" className={css("link-like")} onClick={() => select({ kind: "loop", id })}>
            {id}
          </Button>
        </FieldRow>
      )}
      <EditSelect
        row="Consumes"
        label="Consumes"
        value={loop.consumes?.from ?? ""}
        options={[...generators, { value: "", label: "Nothing" }]}
        onPick={(from) => apply(`Consume ${from}`, (each) => setLoopGenerator(each, id, from === "" ? null : from))}
      />
      <EditSelect
        row="Items at once"
        label="Items at once"
        value={String(loop.parallel ?? "")}
        options={parallelOptions(loop.parallel)}
        onPick={(items) =>
          apply("Set the items at once", (each) => setLoopParallel(each, id, items === "" ? null : Number(items)))
        }
      />
      <LoopExits id={id} loop={loop} />
    </>
  );
}

function LoopExits({ id, loop }: { readonly id: string; readonly loop: Loop }): ReactElement {
  const { loadout, apply, select, readOnly } = useEditor();
  const show = (exit: Exit): void => select({ kind: "edge", id: exitWayId(id, exit.id) });
  /** A new exit is shown, to be changed there. */
  const add = (): void => {
    const isMember = (socket: string): boolean => loop.sockets.some((member) => member === socket);
    const from = loop.sockets.find((member) => loadout.sockets[member]?.advance) ?? loop.sockets[0] ?? "";
    const to = socketOptions(loadout).find(({ value }) => !isMember(value))?.value ?? "";
    const exit = apply("Add an exit", (each) => addExit(each, id, { from, to }))?.loops[id]?.exits.at(-1);
    if (exit) show(exit);
  };
  return (
    <>
      <FieldRow label="Exits">
        <span className={css("row")}>
          <span className={css("grow faint")}>{loop.exits.length === 0 ? "None: the cast ends" : ""}</span>
          <Button off={readOnly} onClick={add}>
            Add
          </Button>
        </span>
      </FieldRow>
      {loop.exits.map((exit) => (
        <div key={exit.id} className={css("row exit")}>
          <Button look="bare" className={css("link-like grow")} onClick={() => show(exit)}>
            <span className={css("cut")}>
              {`${exit.from} ${conditionText(exit.condition)} → ${exit.targetSocketId}`}
            </span>
          </Button>
          <DeleteButton what={`the exit ${exit.id}`} edit={(each) => removeExit(each, id, exit.id)} />
        </div>
      ))}
    </>
  );
}

/** [E33] How many items run at once. */
function parallelOptions(current: number | undefined): readonly { value: string; label: string }[] {
  const counts = [...new Set([2, 3, 4, 6, 8, 16, 32, 64, current ?? 2])].toSorted((a, b) => a - b);
  const many = counts.map((count) => ({ value: `${count}`, label: `${count} items at once` }));
  return [{ value: "", label: "One item after the other" }, ...many];
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
