import { type ReactElement, type ReactNode, useState } from "react";
import type * as v from "valibot";
import { importConfigText, type ImportedConfig } from "../../../core/edit/loadout-draft.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";
import { DraftOutput, fetchCommandOutput } from "../net/api.ts";
import { css } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { LabelledField, TextArea } from "../ui/fields.tsx";
import { IssueList } from "../ui/issues.tsx";

export function importDraft({ config, name }: v.InferOutput<typeof DraftOutput>): ImportedConfig {
  const read = importConfigText(JSON.stringify(config), name);
  return read.ok ? read.value : { loadouts: [], materia: [] };
}

/** [YD15] Words in, a draft out. A refusal is shown, and the words stay. */
export function DescribeDialog(props: {
  readonly title: string;
  readonly label: string;
  /** Said to the agent before the words. */
  readonly task?: string;
  /** The loadout to change, with its unsaved content. */
  readonly from?: { readonly name: string; readonly unsaved: ConfigDraft | null };
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onDraft: (config: ImportedConfig) => void;
}): ReactElement {
  const { title, label, task = "", from, children, onClose, onDraft } = props;
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setIssues([]);
    const base = from ? { from: from.name } : {};
    const command = { kind: "draft" as const, words: `${task}${words}`, literal: true as const, ...base };
    const answer = await fetchCommandOutput({ command, draft: from?.unsaved ?? undefined }, DraftOutput);
    setBusy(false);
    if (!answer.ok) return setIssues(answer.issues);
    onClose();
    onDraft(importDraft(answer.value));
  };
  return (
    <ConfirmDialog
      title={title}
      action="Draft"
      off={isBusy ? "An agent drafts it" : words.trim() === "" ? "Say what should be done" : null}
      onClose={onClose}
      onAct={() => void ask()}
    >
      {children}
      <LabelledField label={label}>
        <TextArea value={words} onType={setWords} />
      </LabelledField>
      <p className={css("note")}>
        {isBusy ? "An agent drafts it, and the checks answer…" : "An agent drafts it. Only a save writes the file."}
      </p>
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}
