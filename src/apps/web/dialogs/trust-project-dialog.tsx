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
      {(shown?.commands ?? []).length === 0 && <p className={css("secondary")}>It runs no programs.</p>}
      {TRUSTED_LISTS.map(([name, title]) => {
        const entries = shown?.[name] ?? [];
        if (entries.length === 0) return null;
        return (
          <div key={name}>
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
      })}
      <p className={css("secondary")}>Its materia, graphs and settings decide what agents are told and may do.</p>
    </ConfirmDialog>
  );
}

const TRUSTED_LISTS = [
  ["commands", "It would run"],
  ["equipment", "Its agents and programs would have"],
  ["watched", "Watched for changes (not files that these load from elsewhere)"],
  ["tooLarge", "Too large to watch: trust counts only once"],
] as const;
