import { type ReactElement, useState } from "react";
import { catalogEntryOf, missingMateria, type ImportedConfig } from "../../../core/edit/loadout-draft.ts";
import NewCastDialog from "../dialogs/new-cast-dialog.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { DeleteEntryDialog, NameEntryDialog, SaveEntryDialog } from "../dialogs/entry-dialogs.tsx";
import { useEditor, createLoadoutDraft, unsavedConfigOf, loadoutDrafts } from "../loadout-editor/editor.ts";
import { addSocketAfter, addSocketIntoEdge, focusedPart } from "../loadout-editor/use-editor-keys.ts";
import {
  CompareLoadoutsDialog,
  importLoadout,
  ImportLoadoutsDialog,
  NewLoadoutDialog,
  StartField,
  useTakenNames,
} from "./loadout-dialogs.tsx";
import { PickMateriaDialog } from "./loadouts-and-palette.tsx";
import { isError } from "../../../core/model/issue.ts";
import { countedText } from "../../../core/model/text.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { billLines } from "../../../core/view/graph/bill.ts";
import { useBill } from "../data/use-bill.ts";
import { css } from "../ui/classes.ts";
import { ExplainDialog } from "../dialogs/explain-dialog.tsx";
import { LineParagraphs } from "../ui/line-text.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import { recordStep } from "../../../core/edit/undo-history.ts";
import { DescribeDialog } from "../dialogs/describe-dialog.tsx";

type LoadoutDialogName = "review" | "compare" | "duplicate" | "rename" | "delete" | "rehearse" | "cast" | "explain";
type DialogName = LoadoutDialogName | "add" | "import" | "new" | "describe";

/** The dialogs of the editor, and the panels that open like one where there is no room for them. */
export type EditorDialogName = DialogName | "palette" | "inspector" | "problems";

interface EditorDialogProps {
  readonly onClose: () => void;
  readonly onRehearsed: (castId: string) => void;
  readonly onAdded: (id: string) => void;
}

export function EditorDialogs(
  props: EditorDialogProps & { readonly dialog: EditorDialogName | null },
): ReactElement | null {
  const { dialog, onClose, onRehearsed } = props;
  const { name, draft, checked } = useEditor();
  const taken = useTakenNames();
  const entry = { drafts: loadoutDrafts, draft, onClose };
  const unsaved = unsavedConfigOf(draft);
  const naming = (what: "duplicate" | "rename"): ReactElement => {
    const copy = { from: name, brings: draft.brings };
    const duplicate = (next: string): void => createLoadoutDraft(next, draft.history.present, copy);
    return <NameEntryDialog {...entry} what={what} taken={taken} onDuplicate={duplicate} />;
  };
  // The draft before the delete, unsaved.
  const restore = (): void =>
    loadoutDrafts.put(name, { ...draft, filed: null, was: null, layer: draft.layer ?? "project" });
  const dialogs: Readonly<Record<DialogName, () => ReactElement>> = {
    add: () => <AddSocketDialog {...props} />,
    review: () => <SaveEntryDialog {...entry} problems={checked.problems.map(({ issue }) => issue)} />,
    compare: () => <CompareLoadoutsDialog {...props} />,
    import: () => <ImportLoadoutsDialog {...props} />,
    describe: () => <DescribeLoadoutDialog {...props} />,
    explain: () => <ExplainLoadoutDialog {...props} />,
    new: () => <NewLoadoutDialog {...props} />,
    duplicate: () => naming("duplicate"),
    rename: () => naming("rename"),
    delete: () => <DeleteEntryDialog {...entry} onRestore={restore} />,
    rehearse: () => (
      <RehearseDialog
        title={`Rehearsal of ${name}`}
        graph={checked.graph}
        target={{ loadout: name, ...(unsaved ? { draft: unsaved } : {}) }}
        warning={unsaved ? "The rehearsal uses your unsaved changes. Only a save writes the file." : null}
        onBegun={onRehearsed}
        onClose={onClose}
      />
    ),
    cast: () => <CastDraftDialog {...props} />,
  };
  return dialog === null || dialog === "palette" || dialog === "inspector" || dialog === "problems"
    ? null
    : dialogs[dialog]();
}

function AddSocketDialog({ onClose, onAdded }: EditorDialogProps): ReactElement {
  const editor = useEditor();
  const part = focusedPart() ?? editor.selected[0];
  const after = part?.kind === "socket" ? part.id : null;
  const edge = part?.kind === "edge" ? part.id : null;
  return (
    <PickMateriaDialog
      catalog={editor.catalog}
      after={after !== null && editor.loadout.sockets[after]?.edges.length === 0 ? after : null}
      onClose={onClose}
      onAdd={(materia) => {
        const id = edge === null ? addSocketAfter(editor, materia, after) : addSocketIntoEdge(editor, materia, edge);
        onClose();
        if (id !== null) onAdded(id);
      }}
    />
  );
}

function CastDraftDialog({ onClose }: EditorDialogProps): ReactElement {
  const { name, draft, checked, catalog } = useEditor();
  const entry = catalogEntryOf(name, draft.history.present);
  const shown = { ...catalog, loadouts: new Map([...catalog.loadouts, [name, entry]]) };
  const errors = checked.problems.filter(({ issue }) => isError(issue)).length;
  const off = errors === 0 ? null : `It has ${countedText(errors, "error")}`;
  return <NewCastDialog loadout={name} draft={unsavedConfigOf(draft)} catalog={shown} off={off} onClose={onClose} />;
}

/** [YD15] A draft on the canvas as unsaved changes; one of the open loadout is a step that undo takes back. */
function DescribeLoadoutDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { catalog, name, draft, readOnly } = useEditor();
  const taken = useTakenNames();
  const saved = useCatalog();
  const [from, setFrom] = useState("");
  const take = ({ loadouts: [made], materia }: ImportedConfig): void => {
    if (!made) return;
    if (from === "" || readOnly !== null)
      return navigate(hrefOf("loadouts", importLoadout(made, materia, { catalog, taken })));
    const own = [...materia, ...draft.brings.filter((each) => !materia.some(({ name: other }) => other === each.name))];
    const brings = missingMateria(made.draft.loadout, own, saved.catalog ?? catalog);
    const history = recordStep(draft.history, made.draft, "Change by words");
    loadoutDrafts.put(name, { ...draft, brings, history });
  };
  return (
    <DescribeDialog
      title="New loadout from a description"
      label="What should be done"
      {...(from === "" ? {} : { from: { name, unsaved: unsavedConfigOf(draft) } })}
      onClose={onClose}
      onDraft={take}
    >
      <StartField
        value={from}
        options={[
          { value: "", label: "Nothing" },
          { value: name, label: `${name}, and change it` },
        ]}
        onPick={setFrom}
      />
    </DescribeDialog>
  );
}

function ExplainLoadoutDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { checked, draft, name } = useEditor();
  const isSound = checked.worst !== null;
  const bill = useBill(isSound ? name : null, unsavedConfigOf(draft));
  return (
    <ExplainDialog name={name} graph={isSound ? checked.graph : null} onClose={onClose}>
      <section className={css("option")} aria-label="Bill">
        {bill && <LineParagraphs lines={billLines(bill)} />}
      </section>
    </ExplainDialog>
  );
}
