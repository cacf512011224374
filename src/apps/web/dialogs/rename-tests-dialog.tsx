import { useState, type ReactElement } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { TestsWithOldName, NameChange } from "../../../core/wire/testing.ts";
import { useStore } from "../browser/store.ts";
import { findTestsWithOldName, testsWithOldName } from "../data/catalog-changes.ts";
import { renameInTests } from "../net/api.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import { css } from "../ui/classes.ts";

/** [E31] The tests with the old name after a rename. Only a yes writes them. */
export function RenameTestsDialog(): ReactElement | null {
  const still = useStore(testsWithOldName);
  return still && <RenameTestsForm {...still} />;
}

function RenameTestsForm({ tests, ...rename }: NameChange & TestsWithOldName): ReactElement {
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const { was, now } = rename;
  const close = (): void => testsWithOldName.set(null);
  const act = async (): Promise<void> => {
    setBusy(true);
    const answer = await renameInTests({ ...rename, tests: tests.map(({ file, etag }) => ({ file, etag })) });
    setBusy(false);
    if (answer.ok) {
      close();
      return toast({ text: `${was} is renamed to ${now} in ${testCountText(tests.length)} too.`, tone: "ok" });
    }
    setIssues(answer.issues);
    return findTestsWithOldName(rename);
  };
  return (
    <ConfirmDialog
      title="Rename it in tests too?"
      action="Rename in tests"
      busy={busy}
      onClose={close}
      onAct={() => void act()}
    >
      <IssueList issues={issues} />
      <p className={css("breakable")}>
        {`${testCountText(tests.length)} still ${tests.length === 1 ? "says" : "say"} ${was}, which is ${now} now.`}
      </p>
      <ul className={css("would-run")} tabIndex={0} aria-label="Tests">
        {tests.map(({ file, places }) => (
          <li key={file}>
            <code>{file}</code> <span className={css("faint")}>{places.join(", ")}</span>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

function testCountText(count: number): string {
  return count === 1 ? "1 test" : `${count} tests`;
}
