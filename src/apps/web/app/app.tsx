import {
  Suspense,
  useEffect,
  useState,
  type ReactElement,
  lazy,
  type ComponentType,
  Component,
  type ReactNode,
} from "react";
import { useCastTitle, useCastNotifications } from "./notifications.ts";
import { useKeys } from "../browser/keyboard.ts";
import { navigate, hrefOf, useRoute, type PageProps } from "../browser/route.ts";
import { toggleTheme } from "../browser/display.ts";
import { ToastList } from "../ui/toasts.tsx";
import { MAIN_PAGES, TopBar, projectName } from "./top-bar.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { draftIndex } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { bindSheets } from "../ui/classes.ts";
import shellSheet from "./app.module.css";
import { thrownMessage } from "../../../core/model/text.ts";
import { Button } from "../ui/buttons.tsx";
import { showTrustDialog } from "../data/trust.ts";
import { onReconnect, useConnection } from "../net/connection.ts";
import { Icon } from "../ui/icons.tsx";

const css = bindSheets(shellSheet);

export function App(): ReactElement {
  const { page, name, search } = useRoute();
  const [dialog, setDialog] = useState<"keys" | "palette" | null>(null);
  const close = (): void => setDialog(null);
  useKeys({
    "ctrl+k": () => setDialog("palette"),
    "?": () => setDialog("keys"),
    t: toggleTheme,
    "g c": () => navigate(hrefOf("casts")),
    "g l": () => navigate(hrefOf("loadouts")),
    "g m": () => navigate(hrefOf("materia")),
    n: () => navigate(hrefOf("casts", undefined, { new: "" })),
    "/": focusSearch,
  });
  const key = page === "casts" && name !== null ? "cast" : page;
  const Page = Object.hasOwn(PAGES, key) ? PAGES[key] : undefined;
  useDocumentTitle(page, name);
  useUnsavedWarning();
  useCastNotifications();
  const isSettled = useSettled();
  return (
    <>
      <a
        className={css("skip")}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <TopBar page={page} onPalette={() => setDialog("palette")} />
      <StatusBanner />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<div className={css("loading")} aria-label="Loading" />}>
          <PageErrorBoundary key={`${page}/${name ?? ""}`}>
            {Page ? <Page name={name} search={search} /> : <UnknownPage page={page} />}
          </PageErrorBoundary>
        </Suspense>
      </main>
      <ToastList />
      {/* Separate: a part that still loads would close the dialog beside it. */}
      <Suspense>{isSettled && <StoredDialogs />}</Suspense>
      <Suspense>
        <PageErrorBoundary key={dialog}>{dialog === "keys" && <ShortcutsDialog onClose={close} />}</PageErrorBoundary>
        {dialog === "palette" && <GoToDialog onClose={close} />}
      </Suspense>
    </>
  );
}

/** Dialogs that a store opens, on any page. */
const StoredDialogs = lazy(() => loadOnline(() => import("../dialogs/stored-dialogs.tsx")));
const ShortcutsDialog = lazy(() => import("./shortcuts-dialog.tsx"));
const loadGoToDialog = () => import("./go-to-dialog.tsx");
const GoToDialog = lazy(() => loadOnline(loadGoToDialog));

/** Loads a part again when the server is back: a part that fails would take the whole page with it. */
async function loadOnline<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await new Promise<void>(onReconnect);
    return loadOnline(load);
  }
}

/** True once the first view is there: the rest loads without delaying it. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(true);
      // People usually open a cast from the list.
      Promise.all([loadGoToDialog(), loadCastPage()]).catch(() => undefined);
    }, 500);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

/** Pages without a link in the top bar. */
const OTHER_PAGE_TITLES: Readonly<Record<string, string>> = {
  settings: "Settings",
  help: "Guide",
  compare: "Compare",
  find: "Find",
};

/** The title of the tab: page and project. */
function useDocumentTitle(page: string, name: string | null): void {
  const { cwd } = useCatalog();
  const { before, shown: request } = useCastTitle(page, name);
  useEffect(() => {
    const shown =
      request ??
      name ??
      MAIN_PAGES.find((place) => place.page === page)?.label ??
      OTHER_PAGE_TITLES[page] ??
      "Nothing here";
    document.title = [`${before}${shown}`, ...(cwd === null ? [] : [projectName(cwd)]), "pi-materia"].join(" · ");
  }, [page, name, cwd, before, request]);
}

/** [W29] The browser asks before it closes a page with unsaved work. */
function useUnsavedWarning(): void {
  const has = useStore(draftIndex).names.length > 0;
  useEffect(() => {
    if (!has) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [has]);
}

/** The search field of the page, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}

function loadCastPage(): Promise<{ readonly default: ComponentType<PageProps> }> {
  return import("../cast/page.tsx");
}

/** Every page is loaded on first use. */
const PAGES: Readonly<Record<string, ComponentType<PageProps>>> = {
  casts: lazy(() => import("../casts/page.tsx")),
  cast: lazy(loadCastPage),
  loadouts: lazy(() => import("../loadouts/page.tsx")),
  materia: lazy(() => import("../materia/page.tsx")),
  compare: lazy(() => import("../compare/page.tsx")),
  find: lazy(() => import("../find/page.tsx")),
  fleet: lazy(() => import("../fleet/page.tsx")),
  settings: lazy(() => import("../settings/page.tsx")),
  help: lazy(() => import("../help/page.tsx")),
  tests: lazy(() => import("../tests/page.tsx")),
};

/** Shown in place of a page that failed to load or to draw. */
class PageErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly problem: string | null }> {
  override state = { problem: null };

  static getDerivedStateFromError(thrown: unknown): { readonly problem: string } {
    return { problem: thrownMessage(thrown) };
  }

  override render(): ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <div className={css("empty")} role="alert">
        <h1>This page cannot be shown</h1>
        <p>{this.state.problem}</p>
        <Button onClick={() => location.reload()}>Try again</Button>
        <a className={css("control-button")} href={hrefOf("casts")}>
          All casts
        </a>
      </div>
    );
  }
}

/** Shown for an unknown address. */
function UnknownPage({ page }: { readonly page: string }): ReactElement {
  return (
    <div className={css("empty")}>
      <h1>There is no such page</h1>
      <p>{`Nothing is called "${page}" here.`}</p>
      <a className={css("control-button")} href={hrefOf("casts")}>
        All casts
      </a>
    </div>
  );
}

/** A banner for a lost connection, full storage or missing trust, with the action that helps. */
function StatusBanner(): ReactElement | null {
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
