import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { compileTargets } from "../../../core/compile/targets/compile.ts";
import type { JsonObject } from "../../../core/model/json.ts";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { TextDiff } from "../dialogs/diff.tsx";
import {
  DeleteEntryDialog,
  NameEntryDialog,
  SaveEntryDialog,
  NameDialog,
  nextFreeName,
} from "../dialogs/entry-dialogs.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { SegmentedControl } from "../ui/fields.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import {
  createMateriaDraft,
  isMateriaDirty,
  readMateriaDraft,
  useCatalogWithDraft,
  type OpenMateriaDraft,
  useBundledMateriaText,
  loadoutsUsing,
  materiaDrafts,
} from "./materia-drafts.ts";
import { css } from "../ui/classes.ts";
import { parseJsoncObject } from "../../../core/edit/json-edit.ts";
import type { ImportedConfig } from "../../../core/edit/loadout-draft.ts";
import { DescribeDialog } from "../dialogs/describe-dialog.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";

export type MateriaDialogName = keyof typeof DIALOGS | "duplicate" | "rename" | "list";

interface MateriaDialogProps {
  readonly draft: OpenMateriaDraft;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}

export function MateriaDialogs(
  props: MateriaDialogProps & { readonly open: MateriaDialogName | null },
): ReactElement | null {
  const { open, draft, catalog } = props;
  if (open === null || open === "list") return null;
  if (open !== "rename" && open !== "duplicate") {
    const Shown = DIALOGS[open];
    return <Shown {...props} />;
  }
  const duplicate = (next: string): void => createMateriaDraft(next, draft.history.present.raw);
  const taken = (each: string): boolean => catalog.materia.has(each);
  return <NameEntryDialog {...props} drafts={materiaDrafts} what={open} taken={taken} onDuplicate={duplicate} />;
}

const DIALOGS = {
  review: SaveMateriaDialog,
  compare: CompareMateriaDialog,
  rehearse: RehearseMateriaDialog,
  delete: DeleteMateriaDialog,
  new: NewMateriaDialog,
  describe: DescribeMateriaDialog,
} as const;

function SaveMateriaDialog({ draft, catalog, onClose }: MateriaDialogProps): ReactElement {
  const { name, was } = draft;
  const { issues } = readMateriaDraft(draft);
  return (
    <SaveEntryDialog drafts={materiaDrafts} draft={draft} problems={issues} onClose={onClose}>
      {was !== null && loadoutsUsing(catalog, was).length > 0 && (
        <p>{`Sockets in the same file that use ${was} will use ${name}.`}</p>
      )}
    </SaveEntryDialog>
  );
}

function DeleteMateriaDialog({ draft, catalog, onClose }: MateriaDialogProps): ReactElement {
  const bundled = useBundledMateriaText(draft.name);
  const loadouts = loadoutsUsing(catalog, draft.name);
  // The draft before the delete, unsaved.
  const restore = (): void => createMateriaDraft(draft.name, draft.history.present.raw);
  return (
    <DeleteEntryDialog drafts={materiaDrafts} draft={draft} onRestore={restore} onClose={onClose}>
      {bundled === null && loadouts.length > 0 && (
        <p className={css("note bad")}>
          {`${loadouts.join(", ")} ${loadouts.length === 1 ? "uses" : "use"} it and cannot be cast without it.`}
        </p>
      )}
    </DeleteEntryDialog>
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
  const { value } = readMateriaDraft(draft);
  const made = compileTargets([{ kind: "materia", name }], useCatalogWithDraft(catalog, name, value));
  if (!made.ok) {
    return (
      <ConfirmDialog title={`Rehearsal of ${name}`} action="Close" onClose={onClose} onAct={onClose}>
        <IssueList issues={made.issues} />
      </ConfirmDialog>
    );
  }
  const isDraft = isMateriaDirty(draft);
  const unsaved = { draft: { materia: { [name]: history.present.raw } } };
  return (
    <RehearseDialog
      title={`Rehearsal of ${name}`}
      graph={made.value.graph}
      target={{ targets: [`materia:${name}`], ...(isDraft ? unsaved : {}) }}
      warning={isDraft ? "The rehearsal uses your unsaved changes. Only a save writes the file." : null}
      onClose={onClose}
    />
  );
}

/** [YD15] The agent tries the materia alone in a loadout, so that it is checked as all drafts are. */
const ONE_MATERIA = "Write exactly one new materia, alone in a loadout with one socket, for this description: ";

function DescribeMateriaDialog({ catalog, onClose }: MateriaDialogProps): ReactElement {
  const take = ({ materia: [made] }: ImportedConfig): void => {
    if (!made) return toast({ text: "The draft has no new materia: one that exists does it.", tone: "bad" });
    const name = nextFreeName(made.name, (each) => catalog.materia.has(each) || materiaDrafts.get().has(each));
    createMateriaDraft(name, parseJsoncObject(made.text));
    navigate(hrefOf("materia", name));
  };
  return (
    <DescribeDialog
      title="New materia from a description"
      label="What it should do"
      task={ONE_MATERIA}
      onClose={onClose}
      onDraft={take}
    />
  );
}

/** Every template runs unchanged. */
const MATERIA_TEMPLATES = {
  agent: [{ type: "agent", prompt: "Do what the request asks:\n{{request}}" }, "A model works from a prompt."],
  utility: [{ type: "utility", command: ["echo", "done"] }, "A program runs; no model is used."],
  gate: [
    { type: "utility", gate: true, command: ["npm", "test"] },
    "A program answers yes or no by its exit code, such as your tests.",
  ],
  person: [{ type: "person", question: "Is this as it should be?\n{{request}}" }, "The cast waits for your answer."],
} as const satisfies Readonly<Record<string, readonly [JsonObject, description: string]>>;
type TemplateKind = keyof typeof MATERIA_TEMPLATES;

function NewMateriaDialog({ catalog, onClose }: MateriaDialogProps): ReactElement {
  const [kind, setKind] = useState<TemplateKind>("agent");
  const [template, description] = MATERIA_TEMPLATES[kind];
  const taken = (each: string): boolean => catalog.materia.has(each);
  return (
    <NameDialog
      title="New materia"
      action="Create"
      initial={nextFreeName("My-Materia", taken)}
      taken={taken}
      onClose={onClose}
      onName={(next) => {
        createMateriaDraft(next, template);
        onClose();
        navigate(hrefOf("materia", next));
      }}
    >
      <SegmentedControl<TemplateKind>
        label="Kind"
        value={kind}
        options={{ agent: "Agent", utility: "Utility", gate: "Gate", person: "Person" }}
        onPick={setKind}
      />
      <p>{description}</p>
    </NameDialog>
  );
}
