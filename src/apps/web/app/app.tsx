import { useEffect, useState, type ReactElement, type ComponentType, Component, type ReactNode, useRef } from "react";
import { useKeys } from "../browser/keyboard.ts";
import { navigate, hrefOf, useRoute, type PageProps, type PageRoute } from "../browser/route.ts";
import CastsPage from "../casts/page.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { toggleTheme } from "../browser/display.ts";
import { ToastList } from "../ui/toasts.tsx";
import { MAIN_PAGES, StatusBanner, TopBar, projectName } from "./top-bar.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { draftIndex } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { firstView, useFirstView } from "../browser/first-view.ts";
import { bindSheets } from "../ui/classes.ts";
import shellSheet from "./app.module.css";
import { thrownMessage, oneLine } from "../../../core/model/text.ts";
import { Button } from "../ui/buttons.tsx";
import { onReconnect } from "../net/follow.ts";
import { needsPersonNow, statusText } from "../../../core/view/cast-list.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { capitalize } from "../ui/status.tsx";
import type { CastStatus, CastSummary } from "../../../core/cast/summary.ts";

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
  const key = pageKey({ page, name });
  const Page = key === undefined ? undefined : PAGES[key];
  const isSettled = useSettled();
  useFirstView(key === undefined || !SLOW_PAGES.has(key));
  return (
    <>
      <TitleAndNotices page={page} name={name} />
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
        <PageErrorBoundary key={`${page}/${name ?? ""}`}>
          {Page ? <Page name={name} search={search} /> : <UnknownPage page={page} />}
        </PageErrorBoundary>
      </main>
      <ToastList />
      {isSettled && <TrustProjectDialog />}
      <PageErrorBoundary key={dialog}>{dialog === "keys" && <ShortcutsDialog onClose={close} />}</PageErrorBoundary>
      {dialog === "palette" && <GoToDialog onClose={close} />}
    </>
  );
}

/** A store opens it, on any page. */
const TrustProjectDialog = lazyPart(() =>
  loadOnline(async () => (await import("../dialogs/trust-project-dialog.tsx")).default),
);
const ShortcutsDialog = lazyPart(async () => (await import("./dialogs.tsx")).ShortcutsDialog);
const GoToDialog = lazyPart(() => loadOnline(async () => (await import("./dialogs.tsx")).GoToDialog));

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
    void firstView.then(() => {
      setSettled(true);
      // People usually open a cast from the list.
      Promise.all([ShortcutsDialog, GoToDialog, PAGES.cast].map(({ preload }) => preload())).catch(() => undefined);
    });
  }, []);
  return isSettled;
}

/** They say themselves when their content is there. */
const SLOW_PAGES: ReadonlySet<PageKey> = new Set(["casts", "cast", "loadouts"]);

/** Draws nothing, so that a change of the list draws no page again. */
function TitleAndNotices({ page, name }: { readonly page: string; readonly name: string | null }): null {
  useDocumentTitle(page, name);
  useUnsavedWarning();
  useCastNotifications();
  return null;
}

const OTHER_PAGE_TITLES: Readonly<Record<string, string>> = {
  settings: "Settings",
  help: "Guide",
  compare: "Comparison",
  find: "Find",
};

/** [W32] The title of the tab: the shown cast and its status, otherwise the number of waiting casts and the page. */
function useDocumentTitle(page: string, name: string | null): void {
  const { cwd } = useCatalog();
  const { casts } = useCasts();
  const cast = page === "casts" ? casts.find(({ castId }) => castId === name) : undefined;
  const waiting = casts.filter(needsPersonNow).length;
  const before = cast ? `${capitalize(statusText(cast.status))}: ` : waiting === 0 ? "" : `(${waiting} waiting) `;
  const place = MAIN_PAGES.find((each) => each.page === page)?.label ?? OTHER_PAGE_TITLES[page] ?? "Nothing here";
  const shown = cast ? oneLine(cast.request, 60) : (name ?? place);
  const title = [`${before}${shown}`, ...(cwd === null ? [] : [projectName(cwd)]), "pi-materia"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
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

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}

type PageModule = { readonly default: ComponentType<PageProps> };

function lazyPage(load: () => Promise<PageModule>) {
  return lazyPart(async () => (await load()).default, <div className={css("loading")} aria-label="Loading" />);
}

/** Every page but the first is loaded on first use. */
const PAGES = {
  casts: Object.assign(CastsPage, { preload: () => Promise.resolve() }),
  cast: lazyPage(() => import("../cast/page.tsx")),
  loadouts: lazyPage(() => import("../loadouts/page.tsx")),
  materia: lazyPage(() => import("../materia/page.tsx")),
  compare: lazyPage(() => import("../compare/page.tsx")),
  find: lazyPage(() => import("../find/page.tsx")),
  fleet: lazyPage(() => import("../fleet/page.tsx")),
  queue: lazyPage(() => import("../queue/page.tsx")),
  settings: lazyPage(() => import("../settings/page.tsx")),
  help: lazyPage(() => import("../help/page.tsx")),
  tests: lazyPage(() => import("../tests/page.tsx")),
};
type PageKey = keyof typeof PAGES;

function pageKey({ page, name }: Pick<PageRoute, "page" | "name">): PageKey | undefined {
  const key = page === "casts" && name !== null ? "cast" : page;
  return Object.hasOwn(PAGES, key) ? (key as PageKey) : undefined; // it is one of its keys
}

/** Begins to load the page of an address before it is drawn. A failure shows when it is. */
export function preloadPage(route: PageRoute): void {
  const key = pageKey(route);
  if (key !== undefined) PAGES[key].preload().catch(() => undefined);
}

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

function UnknownPage({ page }: { readonly page: string }): ReactElement {
  return (
    <div className={css("empty")}>
      <h1>There is no such page</h1>
      <p>{`No page is called "${page}". Choose one above, or open the casts.`}</p>
      <a className={css("control-button")} href={hrefOf("casts")}>
        All casts
      </a>
    </div>
  );
}

const NOTIFIED_STATUSES: ReadonlySet<CastStatus> = new Set([
  "waiting",
  "failed",
  "completed",
  "not_satisfied",
  "interrupted",
]);

/** [W32] A system notification for a cast that waits, fails or ends while the tab is hidden, if allowed. */
function useCastNotifications(): void {
  const { casts, isReady } = useCasts();
  const { catalog } = useCatalog();
  const known = useRef<ReadonlyMap<string, CastStatus> | null>(null);
  const isWanted = catalog?.settings.notify !== false;
  useEffect(() => {
    if (!isReady) return;
    const before = known.current;
    known.current = new Map(casts.map(({ castId, status }) => [castId, status]));
    if (!before || !isWanted || !document.hidden) return;
    for (const cast of casts)
      if (before.get(cast.castId) === "running" && NOTIFIED_STATUSES.has(cast.status)) showNotification(cast);
  }, [casts, isReady, isWanted]);
}

function showNotification({ castId, request, status, loadout }: CastSummary): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  const title = `${capitalize(statusText(status))}: ${loadout}`;
  const notice = new Notification(title, { body: oneLine(request, 200), tag: castId });
  notice.addEventListener("click", () => {
    window.focus();
    navigate(hrefOf("casts", castId));
  });
}
