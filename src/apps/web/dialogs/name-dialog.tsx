import { useState, type ReactElement, type ReactNode } from "react";
import { isValidName } from "../../../core/model/ids.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { css } from "../ui/classes.ts";

/** Asks for an unused name. */
export function NameDialog(props: {
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  readonly taken: (name: string) => boolean;
  readonly note?: string;
  /** Further fields. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}): ReactElement {
  const { title, action, initial, taken, note, children, onClose, onName } = props;
  const [name, setName] = useState(initial);
  const fault = !isValidName(name)
    ? "1 to 100 characters, no space at either end"
    : name !== initial && taken(name)
      ? `There is already a ${name}`
      : null;
  const unchanged = name === initial && taken(name) ? `There is already a ${name}` : null;
  return (
    <ConfirmDialog title={title} action={action} off={fault ?? unchanged} onClose={onClose} onAct={() => onName(name)}>
      <div className={css("option")}>
        <span className={css("label")}>Name</span>
        <TextField label="Name" value={name} onType={setName} invalid={name === initial ? null : fault} />
      </div>
      {children}
      {note !== undefined && <p className={css("faint")}>{note}</p>}
    </ConfirmDialog>
  );
}

/** `Full-Auto-2`, or the next unused number. */
export function nextFreeName(name: string, taken: (name: string) => boolean): string {
  const stem = name.replace(/-\d+$/, "");
  let number = 2;
  while (taken(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
