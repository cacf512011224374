import { countedText } from "../../../core/model/text.ts";
import { type ReactElement, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { TestsWithOldName, NameChange } from "../../../core/wire/catalog.ts";
import { useStore } from "../browser/store.ts";
import { findTestsWithOldName, testsWithOldName } from "../data/catalog-changes.ts";
import { renameInTests } from "../net/api.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import { css } from "../ui/classes.ts";
import { useCatalog, pendingTrustAnswer, trustDigest } from "../data/use-catalog.ts";

export default function StoredDialogs(): ReactElement {
  return (
    <>
      <TrustProjectDialog />
      <RenameTestsDialog />
    </>
  );
}

/** [E31] The tests with the old name after a rename. Only a yes writes them. */
function RenameTestsDialog(): ReactElement | null {
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
      return toast({ text: `${was} is renamed to ${now} in ${countedText(tests.length, "test")} too.`, tone: "ok" });
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
        {`${countedText(tests.length, "test")} still ${tests.length === 1 ? "says" : "say"} ${was}, which is ${now} now.`}
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

/** [W35] Lists everything that the configuration of a project would run, before it runs. */
function TrustProjectDialog(): ReactElement | null {
  const answer = useStore(pendingTrustAnswer);
  const { trust } = useCatalog();
  const [isStale, setStale] = useState(false);
  if (!answer) return null;
  const shown = trust?.given === false ? trust : null;
  const act = async (): Promise<void> => {
    if (!shown || shown.digest === null || (await trustDigest(shown.digest))) {
      setStale(false);
      answer(true);
    } else setStale(true);
  };
  return (
    <ConfirmDialog
      title="Trust this project?"
      action={shown?.digest === null ? "Run once" : "Trust this project"}
      danger
      wide
      onClose={() => answer(false)}
      onAct={() => void act()}
    >
      {isStale && (
        <p className={css("note rework")} role="alert">
          It changed since it was shown. This is the current content.
        </p>
      )}
      <p>
        <code>{shown?.file ?? ""}</code> came with the project. Nothing of it runs before you agree; when it changes,
        you are asked again.
      </p>
      <TrustedEntryList title="It would run" entries={shown?.commands ?? []} none="It runs no programs." />
      <TrustedEntryList title="Its agents and programs would have" entries={shown?.equipment ?? []} />
      <TrustedEntryList
        title="Watched for changes (not files that these load from elsewhere)"
        entries={shown?.watched ?? []}
      />
      <TrustedEntryList title="Too large to watch: trust counts only once" entries={shown?.tooLarge ?? []} />
      <p className={css("secondary")}>Its materia, graphs and settings decide what agents are told and may do.</p>
    </ConfirmDialog>
  );
}

function TrustedEntryList(props: {
  readonly title: string;
  readonly entries: readonly string[];
  readonly none?: string;
}): ReactElement | null {
  const { title, entries, none } = props;
  if (entries.length === 0) return none === undefined ? null : <p className={css("secondary")}>{none}</p>;
  return (
    <div>
      <h3>{`${title} (${entries.length})`}</h3>
      <ul className={css("would-run")} tabIndex={0} aria-label={title}>
        {entries.map((entry) => (
          <li key={entry}>
            <code>{entry}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
