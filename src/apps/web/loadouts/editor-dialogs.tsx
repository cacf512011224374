import { type ReactElement, useState } from "react";
import { catalogEntryOf, importConfigText } from "../../../core/edit/loadout-draft.ts";
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
import * as v from "valibot";
import { isError, type Issue } from "../../../core/model/issue.ts";
import { countedText } from "../../../core/model/text.ts";
import { billLines, billSettings, makeBill } from "../../../core/view/graph/bill.ts";
import { explainGraph } from "../../../core/view/graph/export.ts";
import { buildFlow } from "../../../core/compile/flow.ts";
import { lineText } from "../../../core/view/line.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { css } from "../ui/classes.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { LabelledField, TextArea } from "../ui/fields.tsx";

type LoadoutDialogName = "review" | "compare" | "duplicate" | "rename" | "delete" | "rehearse" | "cast" | "explain";
type DialogName = LoadoutDialogName | "add" | "import" | "new" | "describe";

/** The dialogs of the editor, and the panels that open like one where there is no room for them. */
export type EditorDialogName = DialogName | "palette" | "inspector" | "problems";

interface EditorDialogProps {
  readonly onClose: () => void;
  readonly onRehearsed: (castId: string) => void;
  readonly onAdded: (id: string) => void;
}

/** The open dialog; the page itself shows the panels. */
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
        title={`Rehearse ${name}`}
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

const DraftOutput = v.object({ name: v.string(), config: v.record(v.string(), v.unknown()) });

/** [YD15] Words in, a draft on the canvas as unsaved changes. */
function DescribeLoadoutDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { catalog, name, draft } = useEditor();
  const taken = useTakenNames();
  const [words, setWords] = useState("");
  const [from, setFrom] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setIssues([]);
    const unsaved = from === "" ? null : unsavedConfigOf(draft);
    const command = { kind: "draft" as const, words, literal: true as const, ...(from === "" ? {} : { from }) };
    const answer = await fetchCommandOutput({ command, ...(unsaved ? { draft: unsaved } : {}) }, DraftOutput);
    setBusy(false);
    if (!answer.ok) return setIssues(answer.issues);
    const read = importConfigText(JSON.stringify(answer.value.config), answer.value.name);
    const [made] = read.ok ? read.value.loadouts : [];
    if (!read.ok || !made) return;
    const free = importLoadout(made, read.value.materia, { catalog, taken });
    onClose();
    navigate(hrefOf("loadouts", free));
  };
  return (
    <ConfirmDialog
      title="New loadout from a description"
      action="Draft"
      off={isBusy ? "An agent drafts it" : words.trim() === "" ? "Say what should be done" : null}
      onClose={onClose}
      onAct={() => void ask()}
    >
      <StartField
        value={from}
        options={[
          { value: "", label: "Nothing" },
          { value: name, label: `${name}, and change it` },
        ]}
        onPick={setFrom}
      />
      <LabelledField label="What should be done">
        <TextArea value={words} onType={setWords} />
      </LabelledField>
      <p className={css("note")}>
        {isBusy ? "An agent drafts it, and the checks answer…" : "An agent drafts it. Only a save writes the file."}
      </p>
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}

/** [YD14] What the loadout does, from its graph, with its bill. */
function ExplainLoadoutDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { checked, catalog, name } = useEditor();
  const { graph } = checked;
  const isSound = checked.worst !== null;
  const request = { graph, flow: buildFlow(graph), past: [], ...billSettings(catalog.settings) };
  return (
    <Dialog title={`What ${name} does`} onClose={onClose}>
      <div className={css("dialog-body")}>
        {!isSound && <p className={css("faint")}>Solve its problems first.</p>}
        {isSound && explainGraph(graph).map((sentence) => <p key={sentence}>{sentence}</p>)}
        {isSound && (
          <section aria-label="Bill">
            {billLines(makeBill(request)).map((each) => (
              <p key={lineText(each)} className={css("secondary")}>
                {lineText(each)}
              </p>
            ))}
          </section>
        )}
      </div>
    </Dialog>
  );
}
