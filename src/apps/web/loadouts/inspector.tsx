import { useId, type ReactElement } from "react";
import {
  loopContaining,
  duplicateSockets,
  removeSockets,
  setAdvance,
  setEntry,
  setMateria,
  setParse,
  setDescription,
} from "../../../core/edit/loadout-edit.ts";
import { socketToJson } from "../../../core/edit/loadout-draft.ts";
import { printJson } from "../../../core/edit/json-edit.ts";
import { isGate, isGenerator, isInteractive, parseModeOf } from "../../../core/model/materia.ts";
import { Button } from "../ui/buttons.tsx";
import { MateriaIcon } from "../ui/icons.tsx";
import { FieldError, FieldRow, SegmentedControl, TextField } from "../ui/fields.tsx";
import { useEditor, closeUndoStep } from "../loadout-editor/editor.ts";
import { makeLoopFrom, removeParts, socketIdsIn } from "../loadout-editor/use-editor-keys.ts";
import {
  AssignFields,
  CONDITION_OPTIONS,
  DeleteButton,
  EditSelect,
  parseCondition,
  socketOptions,
} from "./inspector-fields.tsx";
import { EdgeList, EdgeInspector } from "./edge-inspector.tsx";
import { LoopFields, ProblemRows, LoopInspector } from "./loop-inspector.tsx";
import { bindSheets } from "../ui/classes.ts";
import { CodeTokens } from "../ui/code-tokens.tsx";
import editorSheet from "./editor.module.css";
import inspectSheet from "./inspector.module.css";
import { materiaOptions } from "../dialogs/materia-search.tsx";

const css = bindSheets(inspectSheet, editorSheet);

function SocketInspector({ id }: { readonly id: string }): ReactElement | null {
  const { loadout, checked } = useEditor();
  const socket = loadout.sockets[id];
  if (!socket) return null;
  const loop = loopContaining(loadout, id);
  const faults = checked.problems.filter(({ place }) => place.kind === "socket" && place.id === id);
  return (
    <>
      <SocketHead id={id} />
      {faults.length > 0 && (
        <section className={css("section")} aria-label="Problems of this socket">
          <ProblemRows faults={faults} />
        </section>
      )}
      <SocketOutput id={id} />
      <EdgeList from={id} />
      {loop !== undefined && (
        <section className={css("section")} aria-label="Loop">
          <h3>Loop</h3>
          <LoopFields id={loop} />
        </section>
      )}
      <section className={css("section")} aria-label="JSON">
        <h3>JSON</h3>
        <pre className={css("code wrap")} tabIndex={0} aria-label="JSON">
          <CodeTokens text={`${JSON.stringify(id)}: ${printJson(socketToJson(socket))}`} language="json" />
        </pre>
      </section>
    </>
  );
}

function SocketHead({ id }: { readonly id: string }): ReactElement {
  const { loadout, catalog, apply, readOnly } = useEditor();
  const socket = loadout.sockets[id];
  const materia = catalog.materia.get(socket?.materia ?? "")?.value;
  const badges = [
    loadout.entry === id && "Entry",
    materia && isGenerator(materia) && "Generator",
    materia && isGate(materia) && "Gate",
    loopContaining(loadout, id) !== undefined && "Loop consumer",
    materia && isInteractive(materia) && "Interactive",
  ].filter((badge) => typeof badge === "string");
  return (
    <section className={css("section")} aria-label={id}>
      <div className={css("row")}>
        <MateriaIcon materia={materia} />
        <div className={css("grow")}>
          <h2 className={css("thing")}>{id}</h2>
          <div className={css("row badges")}>
            {badges.map((badge) => (
              <span key={badge} className={css("badge")}>
                {badge}
              </span>
            ))}
          </div>
        </div>
        <Button off={readOnly} onClick={() => apply(`Duplicate ${id}`, (each) => duplicateSockets(each, [id]))}>
          Duplicate
        </Button>
        <DeleteButton what={id} edit={(each) => removeSockets(each, [id])} unselects />
      </div>
      <EditSelect
        row="Materia"
        label="Materia"
        value={socket?.materia ?? ""}
        options={materiaOptions(catalog)}
        onPick={(name) => apply(`Seat ${name}`, (each) => setMateria(each, id, name))}
      />
      {loadout.entry !== id && (
        <FieldRow label="Entry">
          <Button off={readOnly} onClick={() => apply(`Begin at ${id}`, (each) => setEntry(each, id))}>
            Begin here
          </Button>
        </FieldRow>
      )}
    </section>
  );
}

function SocketOutput({ id }: { readonly id: string }): ReactElement {
  const { loadout, catalog, checked, apply, readOnly } = useEditor();
  const fault = useId();
  const socket = loadout.sockets[id];
  const own = catalog.materia.get(socket?.materia ?? "")?.value;
  const inherited = own ? parseModeOf(own) : "text";
  const answers = own !== undefined && isGate(own);
  const needsJson = checked.problems.find(
    ({ issue, place }) => place.kind === "socket" && place.id === id && /_needs_json|_not_json/.test(issue.code),
  );
  return (
    <section className={css("section")} aria-label="Output">
      <h3>Output</h3>
      {!answers && (
        <FieldRow label="Parse">
          <SegmentedControl
            label="Parse"
            value={socket?.parse ?? "inherit"}
            options={{ inherit: "From materia", text: "text", json: "json" }}
            titles={{ inherit: `The materia says ${inherited}` }}
            off={readOnly !== null}
            invalid={needsJson !== undefined}
            describedBy={needsJson ? fault : undefined}
            onPick={(parse) => apply(`Parse ${id}`, (each) => setParse(each, id, parse === "inherit" ? null : parse))}
          />
        </FieldRow>
      )}
      {needsJson && <FieldError id={fault} text={needsJsonText(socket?.edges ?? [])} />}
      <AssignFields id={id} />
      <AdvanceField id={id} />
    </section>
  );
}

function AdvanceField({ id }: { readonly id: string }): ReactElement {
  const { loadout, apply } = useEditor();
  const loop = loopContaining(loadout, id);
  if (loop === undefined)
    return (
      <FieldRow label="Advance">
        <span className={css("faint")}>In no loop</span>
      </FieldRow>
    );
  const mover = loadout.loops[loop]?.sockets.find((each) => loadout.sockets[each]?.advance);
  const never = mover === undefined || mover === id ? "Never" : `Never: ${mover} advances to the next item`;
  return (
    <EditSelect
      row="Advance"
      label="Advance"
      value={loadout.sockets[id]?.advance?.when ?? "never"}
      options={[
        { value: "never", label: never },
        ...CONDITION_OPTIONS.map(({ value, label }) => ({
          value,
          label: value === "always" ? "Always: the next item" : `When ${label}`,
        })),
      ]}
      onPick={(when) =>
        apply(`Advance ${id}`, (each) => setAdvance(each, id, when === "never" ? null : parseCondition(when)))
      }
    />
  );
}

function needsJsonText(edges: readonly { readonly when: string }[]): string {
  const guarded = edges.flatMap(({ when }, index) => (when === "always" ? [] : [`${index + 1}`]));
  if (guarded.length === 0) return "Only JSON output has the fields that are read from it.";
  const which = guarded.length === 1 ? `Edge ${guarded.join("")} reads` : `Edges ${guarded.join(" and ")} read`;
  return `${which} "satisfied", which only JSON output has.`;
}

export function Inspector(): ReactElement {
  const [part, ...others] = useEditor().selected;
  const PartInspector = part && INSPECTORS[part.kind];
  return (
    <aside className={css("inspector")} aria-label="Inspector">
      {!PartInspector ? (
        <LoadoutInspector />
      ) : others.length > 0 ? (
        <SelectionInspector />
      ) : (
        <PartInspector key={part.id} id={part.id} />
      )}
    </aside>
  );
}

const INSPECTORS = { socket: SocketInspector, edge: EdgeInspector, loop: LoopInspector } as const;

function LoadoutInspector(): ReactElement {
  const { name, loadout, apply, readOnly, checked } = useEditor();
  const count = Object.keys(loadout.sockets).length;
  return (
    <section className={css("section")} aria-label={`Loadout ${name}`}>
      <h2 className={css("thing")}>{name}</h2>
      <FieldRow label="Description">
        <TextField
          label="Description"
          value={loadout.description ?? ""}
          placeholder="One sentence"
          off={readOnly !== null}
          onType={(text) => apply("Describe the loadout", (each) => setDescription(each, text), "description")}
          onDone={() => closeUndoStep(name)}
        />
      </FieldRow>
      <EditSelect
        row="Entry"
        label="Entry"
        value={loadout.entry}
        options={socketOptions(loadout)}
        onPick={(id) => apply(`Begin at ${id}`, (each) => setEntry(each, id))}
      />
      <FieldRow label="Sockets">
        <span>{count}</span>
      </FieldRow>
      <FieldRow label="Worst case">
        <span>{checked.worst ?? "unknown"}</span>
      </FieldRow>
      <p className={css("faint")}>Choose a socket, an edge or a loop to change it.</p>
    </section>
  );
}

function SelectionInspector(): ReactElement {
  const editor = useEditor();
  const { selected, readOnly } = editor;
  const sockets = socketIdsIn(selected);
  return (
    <section className={css("section")} aria-label="Selection">
      <h2 className={css("thing")}>{`${sockets.length} sockets`}</h2>
      <p className={css("faint")}>{sockets.join(", ")}</p>
      <div className={css("row wrap")}>
        <Button icon="loop" off={readOnly} onClick={() => makeLoopFrom(editor, sockets)}>
          Loop from selection
        </Button>
        <Button look="danger" off={readOnly} onClick={() => removeParts(editor, selected)}>
          {`Delete ${sockets.length} sockets`}
        </Button>
      </div>
    </section>
  );
}
