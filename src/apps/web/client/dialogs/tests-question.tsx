import { useState, type ReactElement } from "react";
import type { Issue } from "../../../../core/model/issue.ts";
import type { NamingTests, Rename } from "../../../../core/wire/testing.ts";
import { useStore } from "../browser/store.ts";
import { findInTests, stillNamed } from "../data/renamed-elsewhere.ts";
import { renameInTests } from "../net/api.ts";
import { AskDialog } from "../parts/controls/dialog.tsx";
import { toast } from "../parts/controls/toasts.tsx";
import { Issues } from "../parts/marks/issues.tsx";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, baseSheet);

/** [E31] The tests that a rename has left behind; they are written only with a yes. */
export function TestsQuestion(): ReactElement | null {
  const still = useStore(stillNamed);
  return still && <Question {...still} />;
}

function Question({ tests, ...rename }: Rename & NamingTests): ReactElement {
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const { was, now } = rename;
  const close = (): void => stillNamed.set(null);
  const act = async (): Promise<void> => {
    setBusy(true);
    const answer = await renameInTests({ ...rename, tests: tests.map(({ file, etag }) => ({ file, etag })) });
    setBusy(false);
    if (answer.ok) {
      close();
      return toast({ text: `${was} is ${now} in ${countText(tests.length)}, too.`, tone: "ok" });
    }
    setIssues(answer.issues);
    return findInTests(rename);
  };
  return (
    <AskDialog
      title="Rename it in tests, too?"
      action="Rename it there"
      busy={busy}
      onClose={close}
      onAct={() => void act()}
    >
      <Issues issues={issues} />
      <p className={css("breakable")}>
        {`${countText(tests.length)} still ${tests.length === 1 ? "says" : "say"} ${was}, which is ${now} now.`}
      </p>
      <ul className={css("would-run")} tabIndex={0} aria-label="Tests">
        {tests.map(({ file, places }) => (
          <li key={file}>
            <code>{file}</code> <span className={css("faint")}>{places.join(", ")}</span>
          </li>
        ))}
      </ul>
    </AskDialog>
  );
}

function countText(count: number): string {
  return count === 1 ? "1 test" : `${count} tests`;
}
