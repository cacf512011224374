import { useState, type ReactElement } from "react";
import type { Issue } from "../../../../../../core/model/issue.ts";
import { quoteWord } from "../../../../../../core/command/words.ts";
import { RecordedTest } from "../../../../../../core/wire/testing.ts";
import { navigate, hrefOf } from "../../../browser/route.ts";
import { fetchCommandOutput } from "../../../net/api.ts";
import { ConfirmDialog } from "../../../parts/controls/dialog.tsx";
import { Switch, TextField } from "../../../parts/controls/fields.tsx";
import { toast } from "../../../parts/controls/toasts.tsx";
import { IssueList } from "../../../parts/marks/issues.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const recordDialogCss = bindClassNames(dialogSheet, baseSheet);

/** A test from a cast that happened: what was answered, and what came of it. */
export function RecordTestDialog({
  castId,
  onClose,
}: {
  readonly castId: string;
  readonly onClose: () => void;
}): ReactElement {
  const [file, setFile] = useState(`.pi/tests/${castId}.json`);
  const [tools, setTools] = useState(true);
  const [busy, setBusy] = useState(false);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const record = async (): Promise<void> => {
    setBusy(true);
    const line = `record ${castId} ${quoteWord(file.trim())}${tools ? "" : " --no-tools"}`;
    const answer = await fetchCommandOutput(line, RecordedTest);
    setBusy(false);
    if (!answer.ok) return setIssues(answer.issues);
    toast({
      text: `Wrote ${file.trim()}`,
      tone: "ok",
      action: { label: "Open tests", act: () => navigate(hrefOf("tests")) },
    });
    return onClose();
  };
  return (
    <ConfirmDialog
      title="Record as a test"
      action="Record"
      busy={busy}
      off={file.trim() === "" ? "Name a file" : null}
      onClose={onClose}
      onAct={() => void record()}
    >
      <p className={recordDialogCss("secondary")}>
        What was answered here becomes a rehearsal, and what came of it what is expected. The test runs without a model.
      </p>
      <div className={recordDialogCss("option")}>
        <span className={recordDialogCss("label")}>File</span>
        <TextField label="File" mono value={file} onType={setFile} />
      </div>
      <Switch label="Tool calls too" on={tools} onTurn={setTools} />
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}
