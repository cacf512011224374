import { useState, type ReactElement } from "react";
import type { Issue } from "../../../../../../core/model/issue.ts";
import { quoteWord } from "../../../../../../core/command/words.ts";
import { RecordedTest } from "../../../../../../core/wire/testing.ts";
import { go, hrefOf } from "../../../browser/route.ts";
import { askCommand } from "../../../net/api.ts";
import { AskDialog } from "../../../parts/controls/dialog.tsx";
import { Switch, TextField } from "../../../parts/controls/fields.tsx";
import { toast } from "../../../parts/controls/toasts.tsx";
import { Issues } from "../../../parts/marks/issues.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, baseSheet);

/** A test from a cast that happened: what was answered, and what came of it. */
export function RecordDialog({
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
    const answer = await askCommand(line, RecordedTest);
    setBusy(false);
    if (!answer.ok) return setIssues(answer.issues);
    toast({
      text: `Wrote ${file.trim()}`,
      tone: "ok",
      action: { label: "Open tests", act: () => go(hrefOf("tests")) },
    });
    return onClose();
  };
  return (
    <AskDialog
      title="Record as a test"
      action="Record"
      busy={busy}
      off={file.trim() === "" ? "Name a file" : null}
      onClose={onClose}
      onAct={() => void record()}
    >
      <p className={css("secondary")}>
        What was answered here becomes a rehearsal, and what came of it what is expected. The test runs without a model.
      </p>
      <div className={css("option")}>
        <span className={css("label")}>File</span>
        <TextField label="File" mono value={file} onType={setFile} />
      </div>
      <Switch label="Tool calls too" on={tools} onTurn={setTools} />
      <Issues issues={issues} />
    </AskDialog>
  );
}
