import type { ReactElement } from "react";
import { draftIndex } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { showTrustDialog } from "../data/trust.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { useConnection } from "../net/connection.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { bindClassNames } from "../styles/classes.ts";
import shellSheet from "./app.module.css";

const css = bindClassNames(shellSheet);

/** A banner for a lost connection, full storage or missing trust, with the action that helps. */
export function StatusBanner(): ReactElement | null {
  const { state } = useConnection();
  const { cwd, trust } = useCatalog();
  const { isStorageFull: isFull } = useStore(draftIndex);
  if (state === "lost") {
    return (
      <div className={css("banner")} role="status">
        <Icon name="interrupted" />
        <span>
          The server does not answer. What is shown stays, and this page goes on by itself once <code>materia ui</code>{" "}
          runs again{cwd === null ? "" : ` in ${cwd}`}.
        </span>
      </div>
    );
  }
  if (state === "refused") {
    return (
      <div className={css("banner refused")} role="alert">
        <Icon name="lock" />
        <span>
          This browser has no access. Open the address that <code>materia ui</code> prints once; from then on this one
          works too.
        </span>
        <Button onClick={() => location.reload()}>Try again</Button>
      </div>
    );
  }
  if (isFull) {
    return (
      <div className={css("banner")} role="alert">
        <Icon name="warning" />
        The storage of this browser is full: unsaved work is lost when the page closes.
      </div>
    );
  }
  if (trust?.given !== false) return null;
  return (
    <div className={css("banner asked")} role="status">
      <Icon name="lock" />
      <span>This project brought its own configuration. Nothing of it runs before you trust it.</span>
      <Button onClick={showTrustDialog}>See what would run…</Button>
    </div>
  );
}
