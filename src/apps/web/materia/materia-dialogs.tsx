import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { compileTargets } from "../../../core/compile/targets/compile.ts";
import type { JsonObject } from "../../../core/model/json.ts";
import { NameDialog, nextFreeName } from "../dialogs/name-dialog.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { TextDiff } from "../dialogs/diff.tsx";
import { SaveReviewDialog } from "../dialogs/save-review-dialog.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { SegmentedControl } from "../ui/fields.tsx";
import { toast } from "../ui/toasts.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import {
  createMateriaDraft,
  isMateriaDirty,
  readMateriaDraft,
  restoreMateriaDraft,
  useCatalogWithDraft,
  type OpenMateriaDraft,
  useBundledMateriaText,
  usagesOf,
  materiaDrafts,
} from "./materia-drafts.ts";
import { renameEntryDraft, markEntrySaved, resolveEntryConflict } from "../data/entry-drafts.ts";
import { bindClassNames } from "../styles/classes.ts";
import marksSheet from "../ui/marks.module.css";
import dialogSheet from "../ui/dialog.module.css";

const css = bindClassNames(dialogSheet, marksSheet);

export type MateriaDialogName = "review" | "compare" | "duplicate" | "rename" | "delete" | "new" | "rehearse" | "list";

interface MateriaDialogProps {
  readonly draft: OpenMateriaDraft;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}

export function MateriaDialogs(
  props: MateriaDialogProps & { readonly open: MateriaDialogName | null },
): ReactElement | null {
  switch (props.open) {
    case "review":
      return <SaveMateriaDialog {...props} />;
    case "compare":
      return <CompareMateriaDialog {...props} />;
    case "rehearse":
      return <RehearseMateriaDialog {...props} />;
    case "delete":
      return <DeleteMateriaDialog {...props} />;
    case "rename":
    case "duplicate":
      return <NameMateriaDialog {...props} what={props.open} />;
    case "new":
      return <NewMateriaDialog {...props} />;
    case "list":
    case null:
      return null;
  }
}

function SaveMateriaDialog({ draft, catalog, onClose }: MateriaDialogProps): ReactElement {
  const { name, filed, history, was } = draft;
  const seats = was === null ? [] : usagesOf(catalog, was);
  return (
    <SaveReviewDialog
      title={`Save ${name}`}
      action="Save"
      layer={draft.layer ?? "project"}
      saving={{ section: "materia", name, text: history.present.text, filed, was }}
      problems={readMateriaDraft(name, history.present).issues}
      onClose={onClose}
      onTake={(taken) => {
        resolveEntryConflict(materiaDrafts, name, taken);
        onClose();
        toast({ text: `${taken.text === taken.filed ? "Theirs is" : "Both are"} shown. Undo brings yours back.` });
      }}
      onSaved={(layer) => {
        markEntrySaved(materiaDrafts, name, layer);
        onClose();
        toast({ text: `${name} is saved.`, tone: "ok" });
      }}
    >
      {seats.length > 0 && <p>{`Sockets in the same file that use ${was} will use ${name}.`}</p>}
    </SaveReviewDialog>
  );
}

function DeleteMateriaDialog({ draft, catalog, onClose }: MateriaDialogProps): ReactElement {
  const { name, filed } = draft;
  const bundled = useBundledMateriaText(name);
  const loadouts = [...new Set(usagesOf(catalog, name).map(({ loadout }) => loadout))];
  const leave = (): void => {
    materiaDrafts.put(name, null);
    onClose();
    navigate(hrefOf("materia"));
    const act = (): void => {
      restoreMateriaDraft(draft);
      navigate(hrefOf("materia", name));
    };
    toast({ text: `${name} is deleted.`, tone: "ok", action: { label: "Undo", act } });
  };
  const warning = bundled === null && loadouts.length > 0 && (
    <p className={css("note bad")}>
      {`${loadouts.join(", ")} ${loadouts.length === 1 ? "uses" : "use"} it and cannot be cast without it.`}
    </p>
  );
  if (filed === null) {
    return (
      <ConfirmDialog title={`Delete ${name}`} action="Delete" danger onClose={onClose} onAct={leave}>
        <p>{`${name} was never saved. Deleting it discards your work.`}</p>
        {warning}
      </ConfirmDialog>
    );
  }
  return (
    <SaveReviewDialog
      title={`Delete ${name}`}
      action="Delete"
      layer={draft.layer ?? "project"}
      saving={{ section: "materia", name: draft.was ?? name, text: null, filed, was: null }}
      problems={[]}
      onClose={onClose}
      onSaved={leave}
    >
      {warning}
    </SaveReviewDialog>
  );
}

function CompareMateriaDialog({ draft, onClose }: MateriaDialogProps): ReactElement {
  const { name, filed, history } = draft;
  const bundled = useBundledMateriaText(name);
  const what = bundled === null ? "as saved" : "bundled";
  return (
    <Dialog title={`${name}: ${what} and now`} onClose={onClose} wide>
      <div className={css("dialog-body")}>
        <TextDiff before={bundled ?? filed ?? ""} after={history.present.text} label={`${name}, ${what} and now`} />
      </div>
    </Dialog>
  );
}

function RehearseMateriaDialog({ draft, catalog, onClose }: MateriaDialogProps): ReactElement | null {
  const { name, history } = draft;
  const { value } = readMateriaDraft(name, history.present);
  const made = compileTargets([{ kind: "materia", name }], useCatalogWithDraft(catalog, name, value));
  if (!made.ok) {
    return (
      <ConfirmDialog title={`Rehearse ${name}`} action="Close" onClose={onClose} onAct={onClose}>
        {made.issues.map(({ message }) => (
          <p key={message} className={css("note bad")}>
            {message}
          </p>
        ))}
      </ConfirmDialog>
    );
  }
  const isDraft = isMateriaDirty(draft);
  const warning = isDraft ? "The rehearsal uses your unsaved changes. Only a save writes the file." : null;
  return (
    <RehearseDialog
      title={`Rehearse ${name}`}
      graph={made.value.graph}
      target={{
        targets: [`materia:${name}`],
        ...(isDraft ? { draft: { materia: { [name]: history.present.raw } } } : {}),
      }}
      warning={warning}
      onClose={onClose}
    />
  );
}

function NameMateriaDialog({
  draft,
  catalog,
  onClose,
  what,
}: MateriaDialogProps & { readonly what: "rename" | "duplicate" }): ReactElement {
  const { name, history } = draft;
  const taken = (each: string): boolean => catalog.materia.has(each);
  return (
    <NameDialog
      title={what === "rename" ? `Rename ${name}` : `Duplicate ${name}`}
      action={what === "rename" ? "Rename" : "Duplicate"}
      initial={what === "rename" ? name : nextFreeName(name, taken)}
      taken={taken}
      note={what === "rename" ? "The save changes the file." : "Only a save writes the file."}
      onClose={onClose}
      onName={(next) => {
        if (what === "rename") renameEntryDraft(materiaDrafts, name, next);
        else createMateriaDraft(next, history.present.raw);
        onClose();
        navigate(hrefOf("materia", next));
      }}
    />
  );
}

/** Every template runs unchanged. */
const MATERIA_TEMPLATES = {
  agent: { type: "agent", prompt: "Do what the request asks:\n{{request}}" },
  utility: { type: "utility", command: ["echo", "done"] },
  gate: { type: "utility", gate: true, command: ["npm", "test"] },
  person: { type: "person", question: "Is this as it should be?\n{{request}}" },
} as const satisfies Readonly<Record<string, JsonObject>>;
type TemplateKind = keyof typeof MATERIA_TEMPLATES;

const KIND_DESCRIPTIONS: Readonly<Record<TemplateKind, string>> = {
  agent: "A model works from a prompt.",
  utility: "A program runs; no model is used.",
  gate: "A program answers yes or no by its exit code, such as your tests.",
  person: "The cast waits for your answer.",
};

function NewMateriaDialog({ catalog, onClose }: MateriaDialogProps): ReactElement {
  const [kind, setKind] = useState<TemplateKind>("agent");
  const taken = (each: string): boolean => catalog.materia.has(each);
  return (
    <NameDialog
      title="New materia"
      action="Create"
      initial={taken("My-Materia") ? nextFreeName("My-Materia", taken) : "My-Materia"}
      taken={taken}
      note="Only a save writes the file."
      onClose={onClose}
      onName={(next) => {
        createMateriaDraft(next, MATERIA_TEMPLATES[kind]);
        onClose();
        navigate(hrefOf("materia", next));
      }}
    >
      <SegmentedControl<TemplateKind>
        label="Kind"
        value={kind}
        options={[
          { value: "agent", label: "Agent" },
          { value: "utility", label: "Utility" },
          { value: "gate", label: "Gate" },
          { value: "person", label: "Person" },
        ]}
        onPick={setKind}
      />
      <p>{KIND_DESCRIPTIONS[kind]}</p>
    </NameDialog>
  );
}
