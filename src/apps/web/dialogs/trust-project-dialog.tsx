import { type ReactElement, useState } from "react";
import { useStore } from "../browser/store.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { css } from "../ui/classes.ts";
import { useCatalog, pendingTrustAnswer, trustDigest } from "../data/use-catalog.ts";

/** [W35] Lists everything that the configuration of a project would run, before it runs. */
export default function TrustProjectDialog(): ReactElement | null {
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
