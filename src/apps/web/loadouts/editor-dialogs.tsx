import { type ReactElement, useState } from "react";
import { catalogEntryOf, importConfigText, missingMateria } from "../../../core/edit/loadout-draft.ts";
import NewCastDialog from "../dialogs/new-cast-dialog.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { DeleteEntryDialog, NameEntryDialog, SaveEntryDialog, nextFreeName } from "../dialogs/entry-dialogs.tsx";
import {
  useEditor,
  type EditorDialogName,
  createLoadoutDraft,
  unsavedConfigOf,
  restoreLoadoutDraft,
  loadoutDrafts,
} from "../loadout-editor/editor.ts";
import { addSocketAfter, addSocketIntoEdge, focusedPart } from "../loadout-editor/use-editor-keys.ts";
import { CompareLoadoutsDialog, ImportLoadoutsDialog, NewLoadoutDialog, useTakenNames } from "./loadout-dialogs.tsx";
import { PickMateriaDialog } from "./loadouts-and-palette.tsx";
import * as v from "valibot";
import type { Issue } from "../../../core/model/issue.ts";
import { billLines, billSettings, makeBill } from "../../../core/view/graph/bill.ts";
import { explainGraph } from "../../../core/view/graph/export.ts";
import { buildFlow } from "../../../core/compile/flow.ts";
import { lineText } from "../../../core/view/line.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { css } from "../ui/classes.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { Select } from "../ui/fields.tsx";

interface EditorDialogProps {
  readonly onClose: () => void;
  /** Called when a rehearsal has started. */
  readonly onRehearsed: (castId: string) => void;
  readonly onAdded: (id: string) => void;
}

/** The open dialog. */
export function EditorDialogs(
  props: EditorDialogProps & { readonly dialog: EditorDialogName | null },
): ReactElement | null {
  const { dialog, onClose, onRehearsed } = props;
  const { name, draft, checked } = useEditor();
  const taken = useTakenNames();
  const entry = { drafts: loadoutDrafts, draft, onClose };
  switch (dialog) {
    case "add":
      return <AddSocketDialog {...props} />;
    case "review":
      return <SaveEntryDialog {...entry} problems={checked.problems.map(({ issue }) => issue)} />;
    case "compare":
      return <CompareLoadoutsDialog {...props} />;
    case "import":
      return <ImportLoadoutsDialog {...props} />;
    case "describe":
      return <DescribeLoadoutDialog {...props} />;
    case "explain":
      return <ExplainLoadoutDialog {...props} />;
    case "new":
      return <NewLoadoutDialog {...props} />;
    case "duplicate":
    case "rename": {
      const copy = { from: name, brings: draft.brings };
      const duplicate = (next: string): void => createLoadoutDraft(next, draft.history.present, copy);
      return <NameEntryDialog {...entry} what={dialog} taken={taken} onDuplicate={duplicate} />;
    }
    case "delete":
      return <DeleteEntryDialog {...entry} onRestore={() => restoreLoadoutDraft(draft)} />;
    case "rehearse": {
      const unsaved = unsavedConfigOf(draft);
      return (
        <RehearseDialog
          title={`Rehearse ${name}`}
          graph={checked.graph}
          target={{ loadout: name, ...(unsaved ? { draft: unsaved } : {}) }}
          warning={unsaved ? "The rehearsal uses your unsaved changes. Only a save writes the file." : null}
          onBegun={onRehearsed}
          onClose={onClose}
        />
      );
    }
    case "cast":
      return <CastDraftDialog {...props} />;
    case "palette":
    case "inspector":
    case "problems":
    case null:
      // The page itself shows these panels.
      return null;
  }
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
  const errors = checked.problems.filter(({ issue }) => issue.severity === "error").length;
  const off = errors === 0 ? null : `It has ${errors} ${errors === 1 ? "error" : "errors"}`;
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
    const free = taken(made.name) ? nextFreeName(made.name, taken) : made.name;
    createLoadoutDraft(free, made.draft, { brings: missingMateria(made.draft.loadout, read.value.materia, catalog) });
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
      <div className={css("option")}>
        <span className={css("label")}>Begin with</span>
        <Select
          label="Begin with"
          value={from}
          options={[
            { value: "", label: "Nothing" },
            { value: name, label: `${name}, and change it` },
          ]}
          onPick={setFrom}
        />
      </div>
      <label className={css("option")}>
        <span className={css("label")}>What should be done</span>
        <span className={css("field")}>
          <textarea rows={5} value={words} onChange={(event) => setWords(event.target.value)} />
        </span>
      </label>
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
  const bill = isSound
    ? makeBill({ graph, flow: buildFlow(graph), past: [], ...billSettings(catalog.settings) })
    : null;
  return (
    <Dialog title={`What ${name} does`} onClose={onClose}>
      <div className={css("dialog-body")}>
        {isSound ? (
          explainGraph(graph).map((sentence) => <p key={sentence}>{sentence}</p>)
        ) : (
          <p className={css("faint")}>Solve its problems first.</p>
        )}
        {bill && (
          <section aria-label="Bill">
            {billLines(bill).map((each) => (
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
