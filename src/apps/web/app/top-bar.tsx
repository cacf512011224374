import { useMemo, type ReactElement } from "react";
import { needsPersonNow } from "../../../core/view/cast-list.ts";
import { ageText } from "../../../core/view/numbers.ts";
import { draftIndex } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { showTrustDialog, useCatalog } from "../data/use-catalog.ts";
import { useConnection } from "../net/follow.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { hrefOf } from "../browser/route.ts";
import { toggleTheme, useTheme, useNow } from "../browser/display.ts";
import { bindSheets } from "../ui/classes.ts";
import shellSheet from "./app.module.css";

const css = bindSheets(shellSheet);

export const MAIN_PAGES: readonly { readonly page: string; readonly label: string; readonly icon: IconName }[] = [
  { page: "casts", label: "Casts", icon: "casts" },
  { page: "queue", label: "Queue", icon: "queued" },
  { page: "loadouts", label: "Loadouts", icon: "loadouts" },
  { page: "materia", label: "Materia", icon: "materia" },
  { page: "tests", label: "Tests", icon: "tick" },
  { page: "fleet", label: "Fleet", icon: "fleet" },
];

/** The top bar; below 640 pixels its links are at the bottom of the screen. */
export function TopBar({ page, onPalette }: { readonly page: string; readonly onPalette: () => void }): ReactElement {
  const theme = useTheme();
  const { fleet } = useCatalog();
  // [B29] Only a page of a fleet shows its workers and queue.
  const places = MAIN_PAGES.filter(({ page: to }) => to !== "fleet" || fleet !== null);
  return (
    <header className={css("top")}>
      <a className={css("brand")} href={hrefOf("casts")} aria-label="pi-materia, casts">
        <BrandIcon />
        pi-materia
      </a>
      <ProjectLabel />
      <nav className={css("navigation")} aria-label="Main">
        {places.map(({ page: to, label, icon }) => (
          <a key={to} href={hrefOf(to)} aria-current={to === page ? "page" : undefined}>
            <Icon name={icon} />
            {label}
            {to === "casts" && <WaitingCount />}
            <UnsavedDot page={to} />
          </a>
        ))}
      </nav>
      <div className={css("bar-tools")}>
        <ConnectionStatus />
        <Button icon="search" onClick={onPalette} aria-keyshortcuts="Control+K">
          <span className={css("go-to-text")}>
            Go to <kbd>Ctrl K</kbd>
          </span>
        </Button>
        <a
          className={css("settings-link")}
          href={hrefOf("settings")}
          aria-current={page === "settings" ? "page" : undefined}
        >
          <Icon name="settings" />
          <span className={css("spoken")}>Settings</span>
        </a>
        <Button
          look="bare"
          icon="theme"
          label={theme === "dark" ? "Switch to light" : "Switch to dark"}
          onClick={toggleTheme}
        />
      </div>
    </header>
  );
}

function ProjectLabel(): ReactElement | null {
  const { cwd, fleet } = useCatalog();
  if (cwd === null) return null;
  return (
    <span className={css("project cut")} title={fleet === null ? cwd : `${cwd}, with the casts of the fleet ${fleet}`}>
      <span className={css("spoken")}>Project </span>
      {fleet === null ? projectName(cwd) : `${projectName(cwd)} on ${fleet}`}
    </span>
  );
}

export function projectName(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd;
}

/** [W29] The number of unsaved drafts, visible on every page. */
function UnsavedDot({ page }: { readonly page: string }): ReactElement | null {
  const count = useStore(draftIndex).names.filter(({ kind }) => kind === page.replace(/s$/, "")).length;
  if (count === 0) return null;
  return (
    <span className={css("unsaved-dot")} title={`${count} not saved`}>
      <span className={css("spoken")}>{`, ${count} not saved`}</span>
    </span>
  );
}

function WaitingCount(): ReactElement | null {
  const { casts } = useCasts();
  const waiting = useMemo(() => casts.filter(needsPersonNow).length, [casts]);
  if (waiting === 0) return null;
  return (
    <span className={css("tally")} aria-label={`${waiting} waiting for you`}>
      {waiting}
    </span>
  );
}

const CONNECTION_TEXTS = { live: "Live", refused: "No access", connecting: "Connecting…" } as const;

function ConnectionStatus(): ReactElement {
  const { state, lastHeardAt: heardAt } = useConnection();
  const now = useNow(state === "lost");
  const text = state === "lost" ? `Reconnecting… last heard ${ageText(now - heardAt)} ago` : CONNECTION_TEXTS[state];
  return (
    <span className={css("row connection")} role="status" aria-live="polite">
      <span className={css(state === "live" ? "dot" : `dot ${state}`)} aria-hidden="true" />
      <span className={css(state === "live" ? "cut is-live" : "cut")}>{text}</span>
    </span>
  );
}

function BrandIcon(): ReactElement {
  return (
    <svg viewBox="0 0 30 16" aria-hidden="true">
      <path d="M13 8h4" stroke="var(--ink-2)" strokeWidth="3" />
      <circle cx="7.5" cy="8" r="6" fill="var(--surface)" stroke="var(--ink-2)" strokeWidth="1.8" />
      <circle cx="22.5" cy="8" r="6" fill="var(--surface)" stroke="var(--ink-2)" strokeWidth="1.8" />
      <circle cx="7.5" cy="8" r="3.2" fill="var(--accent)" />
      <circle cx="22.5" cy="8" r="3.2" fill="var(--leaf)" />
    </svg>
  );
}

export function StatusBanner(): ReactElement | null {
  const { state } = useConnection();
  const { cwd, trust } = useCatalog();
  const { isStorageFull: isFull } = useStore(draftIndex);
  if (state === "lost") {
    return (
      <div className={css("banner")} role="status">
        <Icon name="interrupted" />
        <span>
          The server does not answer. What is shown stays, and this page continues by itself once{" "}
          <code>materia ui</code> runs again{cwd === null ? "" : ` in ${cwd}`}.
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
