import { type ReactElement, type ReactNode, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import { hrefOf, navigate } from "../browser/route.ts";
import {
  markEntrySaved,
  renameEntryDraft,
  resolveEntryConflict,
  type EntryDraft,
  type EntryDrafts,
} from "../data/entry-drafts.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { toast } from "../ui/toasts.tsx";
import { SaveReviewDialog } from "./save-review-dialog.tsx";
import { isValidName } from "../../../core/model/ids.ts";
import { LabelledTextField } from "../ui/fields.tsx";
import { css } from "../ui/classes.ts";

interface EntryDialogProps<T, V> {
  readonly drafts: EntryDrafts<T, V>;
  readonly draft: EntryDraft<T>;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function SaveEntryDialog<T extends { readonly text: string }, V>(
  props: EntryDialogProps<T, V> & { readonly problems: readonly Issue[] },
): ReactElement {
  const { drafts, draft, problems, onClose, children } = props;
  const { name, filed, was, history, brings } = draft;
  return (
    <SaveReviewDialog
      title={`Changes of ${name}`}
      action="Save"
      layer={draft.layer ?? "project"}
      saving={{ section: drafts.section, name, text: history.present.text, filed, was, carriedMateria: brings }}
      problems={problems}
      onClose={onClose}
      onSaved={(layer) => {
        markEntrySaved(drafts, name, layer);
        onClose();
        toast({ text: `${name} is saved.`, tone: "ok" });
      }}
      onTake={(taken) => {
        resolveEntryConflict(drafts, name, taken);
        onClose();
        toast({ text: `${taken.text === taken.filed ? "Theirs is" : "Both are"} shown. Undo brings yours back.` });
      }}
    >
      {children}
    </SaveReviewDialog>
  );
}

/** [E26] `onRestore` restores the draft; only a save writes it. */
export function DeleteEntryDialog<T, V>(
  props: EntryDialogProps<T, V> & { readonly onRestore: () => void },
): ReactElement {
  const { drafts, draft, onClose, onRestore, children } = props;
  const { section } = drafts;
  const { name, filed } = draft;
  const leave = (): void => {
    drafts.put(name, null);
    onClose();
    navigate(hrefOf(section));
    const act = (): void => {
      onRestore();
      navigate(hrefOf(section, name));
    };
    toast({ text: `${name} is deleted.`, tone: "ok", action: { label: "Undo", act } });
  };
  // A draft without a file needs no change of a file.
  if (filed === null) {
    return (
      <ConfirmDialog title={`Delete ${name}?`} action="Delete" danger onClose={onClose} onAct={leave}>
        <p>{`${name} was never saved. Deleting it discards your work.`}</p>
        {children}
      </ConfirmDialog>
    );
  }
  return (
    <SaveReviewDialog
      title={`Delete ${name}?`}
      action="Delete"
      layer={draft.layer ?? "project"}
      saving={{ section, name: draft.was ?? name, text: null, filed, was: null }}
      problems={[]}
      onClose={onClose}
      onSaved={leave}
    >
      {children}
    </SaveReviewDialog>
  );
}

export function NameEntryDialog<T extends { readonly text: string }, V>(
  props: EntryDialogProps<T, V> & {
    readonly what: "rename" | "duplicate";
    readonly taken: (name: string) => boolean;
    readonly onDuplicate: (name: string) => void;
  },
): ReactElement {
  const { drafts, draft, what, taken, onClose, onDuplicate } = props;
  const action = what === "rename" ? "Rename" : "Duplicate";
  return (
    <NameDialog
      title={`${what === "rename" ? "New name" : "Copy"} of ${draft.name}`}
      action={action}
      initial={what === "rename" ? draft.name : nextFreeName(draft.name, (each) => each === draft.name || taken(each))}
      taken={taken}
      note={what === "rename" ? "The save changes the file." : ONLY_DRAFT}
      onClose={onClose}
      onName={(next) => {
        if (what === "rename") renameEntryDraft(drafts, draft.name, next);
        else onDuplicate(next);
        onClose();
        navigate(hrefOf(drafts.section, next));
      }}
    />
  );
}

const ONLY_DRAFT = "Only a save writes the file.";

export function NameDialog(props: {
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  readonly taken: (name: string) => boolean;
  readonly note?: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}): ReactElement {
  const { title, action, initial, taken, note = ONLY_DRAFT, children, onClose, onName } = props;
  const [name, setName] = useState(initial);
  const inUse = taken(name) ? `There is already a ${name}` : null;
  const fault = isValidName(name) ? inUse : "1 to 100 characters, no space at either end";
  return (
    <ConfirmDialog title={title} action={action} off={fault} onClose={onClose} onAct={() => onName(name)}>
      <LabelledTextField label="Name" value={name} onType={setName} invalid={name === initial ? null : fault} />
      {children}
      <p className={css("faint")}>{note}</p>
    </ConfirmDialog>
  );
}

/** The name itself, else `Full-Auto-2` or the next unused number. */
export function nextFreeName(name: string, taken: (name: string) => boolean): string {
  if (!taken(name)) return name;
  const stem = name.replace(/-\d+$/, "");
  let number = 2;
  while (taken(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
