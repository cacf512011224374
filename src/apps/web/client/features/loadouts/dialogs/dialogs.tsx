import type { ReactElement } from "react";
import { newMateria, type Brought } from "../../../../../../core/edit/carry.ts";
import { CastDialog } from "../../../dialogs/cast-dialog.tsx";
import { RehearseDialog } from "../../../dialogs/rehearse/rehearse-dialog.tsx";
import { ReviewDialog } from "../../../dialogs/save/review-dialog.tsx";
import { go, hrefOf } from "../../../browser/route.ts";
import { toast } from "../../../parts/controls/toasts.tsx";
import { useEditor } from "../state/editor.ts";
import { addAfter, addInto, focused } from "../state/use-editor-keys.ts";
import {
  beginWork,
  draftOfWork,
  dropWork,
  renameWork,
  restoreWork,
  savedWork,
  takeText,
  useWorks,
  type Work,
} from "../state/works.ts";
import { AskDialog } from "../../../parts/controls/dialog.tsx";
import type { EditorDialog } from "../state/editor-dialog.ts";
import { AddDialog } from "./add-dialog.tsx";
import { CompareLoadoutsDialog } from "./compare-loadouts-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { NewDialog } from "./new-dialog.tsx";
import { NameDialog, freeName } from "../../../dialogs/name-dialog.tsx";

interface DialogProps {
  readonly onClose: () => void;
  /** A rehearsal has begun, and is played. */
  readonly onRehearsed: (castId: string) => void;
  readonly onAdded: (id: string) => void;
}

/** The dialog that is open. */
export function EditorDialogs(props: DialogProps & { readonly dialog: EditorDialog | null }): ReactElement | null {
  switch (props.dialog) {
    case "add":
      return <Add {...props} />;
    case "review":
      return <Save {...props} />;
    case "compare":
      return <Compare {...props} />;
    case "import":
      return <Import {...props} />;
    case "new":
      return <New {...props} />;
    case "duplicate":
    case "rename":
      return <Name {...props} what={props.dialog} />;
    case "delete":
      return <Delete {...props} />;
    case "rehearse":
      return <Rehearse {...props} />;
    case "cast":
      return <Cast {...props} />;
    case "palette":
    case "inspector":
    case "problems":
    case null:
      // Those are panels that the view shows itself.
      return null;
  }
}

function Add({ onClose, onAdded }: DialogProps): ReactElement {
  const editor = useEditor();
  const part = focused() ?? editor.selected[0];
  const after = part?.kind === "socket" ? part.id : null;
  const edge = part?.kind === "edge" ? part.id : null;
  return (
    <AddDialog
      catalog={editor.catalog}
      after={after !== null && editor.loadout.sockets[after]?.edges.length === 0 ? after : null}
      onClose={onClose}
      onAdd={(materia) => {
        const id = edge === null ? addAfter(editor, materia, after) : addInto(editor, materia, edge);
        onClose();
        if (id !== null) onAdded(id);
      }}
    />
  );
}

function Save({ onClose }: DialogProps): ReactElement {
  const { name, work, checked } = useEditor();
  const { text } = work.history.present;
  return (
    <ReviewDialog
      title={`Save ${name}`}
      action="Save"
      layer={work.layer ?? "project"}
      saving={{ section: "loadouts", name, text, filed: work.filed, was: work.was, brings: work.brings }}
      problems={checked.problems.map(({ issue }) => issue)}
      onClose={onClose}
      onSaved={(layer) => {
        savedWork(name, layer);
        onClose();
        toast({ text: `${name} is saved.`, tone: "ok" });
      }}
      onTake={(taken) => {
        takeText(name, taken);
        onClose();
        toast({ text: `${taken.text === taken.filed ? "Theirs is" : "Both are"} shown. Undo brings yours back.` });
      }}
    />
  );
}

function Delete({ onClose }: DialogProps): ReactElement {
  const { name, work } = useEditor();
  const leave = (): void => {
    dropWork(name);
    onClose();
    go(hrefOf("loadouts"));
    toast({ text: `${name} is deleted.`, tone: "ok", action: { label: "Undo", act: () => bringBack(work) } });
  };
  // What no file has yet needs no file to be changed.
  if (work.filed === null) {
    return (
      <AskDialog title={`Delete ${name}`} action="Delete" danger onClose={onClose} onAct={leave}>
        <p>{`${name} was never saved. What you made of it goes.`}</p>
      </AskDialog>
    );
  }
  return (
    <ReviewDialog
      title={`Delete ${name}`}
      action="Delete"
      layer={work.layer ?? "project"}
      saving={{ section: "loadouts", name: work.was ?? name, text: null, filed: work.filed, was: null }}
      problems={[]}
      onClose={onClose}
      onSaved={leave}
    />
  );
}

/** [E26] As it was in hand, and not in any file before it is saved. */
function bringBack(work: Work): void {
  restoreWork(work);
  go(hrefOf("loadouts", work.name));
}

function Compare({ onClose }: DialogProps): ReactElement {
  const { name, work, loadout, catalog } = useEditor();
  const saved = work.filed === null ? null : work.base.loadout;
  return (
    <CompareLoadoutsDialog
      name={name}
      loadout={loadout}
      saved={saved}
      catalog={catalog}
      initial={work.from}
      onClose={onClose}
    />
  );
}

function Import({ onClose }: DialogProps): ReactElement {
  const { catalog } = useEditor();
  const works = useWorks();
  const taken = (each: string): boolean => catalog.loadouts.has(each) || works.has(each);
  const take = ({ loadouts, materia }: Brought): void => {
    let first: string | undefined;
    for (const { name, draft } of loadouts) {
      const free = taken(name) ? freeName(name, taken) : name;
      beginWork(free, draft, { brings: newMateria(draft.loadout, materia, catalog) });
      first ??= free;
    }
    onClose();
    if (first !== undefined) go(hrefOf("loadouts", first));
  };
  return <ImportDialog catalog={catalog} onClose={onClose} onImport={take} />;
}

function New({ onClose }: DialogProps): ReactElement {
  const { catalog } = useEditor();
  const works = useWorks();
  return (
    <NewDialog catalog={catalog} taken={(each) => catalog.loadouts.has(each) || works.has(each)} onClose={onClose} />
  );
}

function Name({ what, onClose }: DialogProps & { readonly what: "duplicate" | "rename" }): ReactElement {
  const { name, work, catalog } = useEditor();
  const works = useWorks();
  const taken = (each: string): boolean => catalog.loadouts.has(each) || works.has(each);
  const act = (next: string): void => {
    if (what === "duplicate") beginWork(next, work.history.present, { from: name, brings: work.brings });
    else renameWork(name, next);
    onClose();
    go(hrefOf("loadouts", next));
  };
  return (
    <NameDialog
      title={what === "duplicate" ? `Duplicate ${name}` : `Rename ${name}`}
      action={what === "duplicate" ? "Duplicate" : "Rename"}
      initial={what === "rename" ? name : freeName(name, taken)}
      taken={taken}
      note={what === "rename" ? "The file is changed when you save." : "Nothing is written before you save."}
      onClose={onClose}
      onName={act}
    />
  );
}

function Rehearse({ onClose, onRehearsed }: DialogProps): ReactElement {
  const { name, work, checked } = useEditor();
  const draft = draftOfWork(work);
  return (
    <RehearseDialog
      title={`Rehearse ${name}`}
      graph={checked.graph}
      target={{ loadout: name, ...(draft ? { draft } : {}) }}
      warning={draft ? "It is rehearsed as you see it. Its file stays as it is until you save." : null}
      onBegun={onRehearsed}
      onClose={onClose}
    />
  );
}

function Cast({ onClose }: DialogProps): ReactElement {
  const { name, work, checked } = useEditor();
  const errors = checked.problems.filter(({ issue }) => issue.severity === "error").length;
  const off = errors === 0 ? null : `It has ${errors} ${errors === 1 ? "error" : "errors"}`;
  return <CastDialog loadout={name} draft={draftOfWork(work)} off={off} onClose={onClose} />;
}
