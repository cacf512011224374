import type { ReactElement } from "react";
import { removeSockets, setDescription, setEntry } from "../../../core/edit/sockets.ts";
import { Button } from "../ui/buttons.tsx";
import { Select, FieldRow, TextField } from "../ui/fields.tsx";
import { useEditor, closeUndoStep } from "../loadout-editor/editor.ts";
import { socketOptions } from "./inspector-fields.tsx";
import { EdgeInspector } from "./edge-inspector.tsx";
import { LoopInspector } from "./loop-inspector.tsx";
import { SocketInspector } from "./socket-inspector.tsx";
import { css } from "../ui/classes.ts";

/** Inspects the selected part, or the loadout without a selection. */
export function Inspector({ onLoop }: { readonly onLoop: () => void }): ReactElement {
  const { selected } = useEditor();
  const [part, ...others] = selected;
  if (!part) return <LoadoutInspector />;
  if (others.length > 0) return <SelectionInspector onLoop={onLoop} />;
  switch (part.kind) {
    case "socket":
      return <SocketInspector key={part.id} id={part.id} />;
    case "edge":
      return <EdgeInspector key={part.id} id={part.id} />;
    case "loop":
      return <LoopInspector key={part.id} id={part.id} />;
  }
}

function LoadoutInspector(): ReactElement {
  const { name, loadout, apply, readOnly } = useEditor();
  const count = Object.keys(loadout.sockets).length;
  return (
    <section className={css("section")} aria-label={`Loadout ${name}`}>
      <h2 className={css("thing")}>{name}</h2>
      <FieldRow label="What for">
        <TextField
          label="Description"
          value={loadout.description ?? ""}
          placeholder="One sentence"
          off={readOnly !== null}
          onType={(text) => apply("Describe the loadout", (each) => setDescription(each, text), "description")}
          onDone={() => closeUndoStep(name)}
        />
      </FieldRow>
      <FieldRow label="Entry">
        <Select
          label="Entry"
          value={loadout.entry}
          options={socketOptions(loadout)}
          off={readOnly !== null}
          onPick={(id) => apply(`Begin at ${id}`, (each) => setEntry(each, id))}
        />
      </FieldRow>
      <FieldRow label="Sockets">
        <span>{count}</span>
      </FieldRow>
      <p className={css("faint")}>Choose a socket, an edge or a loop to change it.</p>
    </section>
  );
}

function SelectionInspector({ onLoop }: { readonly onLoop: () => void }): ReactElement {
  const { selected, remove, select, readOnly } = useEditor();
  const sockets = selected.filter(({ kind }) => kind === "socket").map(({ id }) => id);
  return (
    <section className={css("section")} aria-label="Selection">
      <h2 className={css("thing")}>{`${sockets.length} sockets`}</h2>
      <p className={css("faint")}>{sockets.join(", ")}</p>
      <div className={css("row wrap")}>
        <Button icon="loop" off={readOnly} onClick={onLoop}>
          Loop from selection
        </Button>
        <Button
          look="danger"
          off={readOnly}
          onClick={() => {
            if (remove(`Delete ${sockets.length} sockets`, (each) => removeSockets(each, sockets))) select();
          }}
        >
          {`Delete ${sockets.length} sockets`}
        </Button>
      </div>
    </section>
  );
}
