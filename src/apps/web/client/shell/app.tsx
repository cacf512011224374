import { Suspense, useEffect, useState, type ReactElement } from "react";
import { useCastTitle, useCastNotifications } from "./attention.ts";
import { PAGES, loadCastPage } from "./pages.tsx";
import { PageErrorBoundary, UnknownPage } from "./mishap.tsx";
import { ShortcutsDialog } from "./keys-dialog.tsx";
import { useKeys } from "../browser/keys.ts";
import { GoToDialog } from "./palette.tsx";
import { navigate, hrefOf, useRoute } from "../browser/route.ts";
import { toggleTheme } from "./theme.ts";
import { ToastList } from "../parts/controls/toasts.tsx";
import { StatusBanner } from "./standing.tsx";
import { RenameTestsDialog } from "../dialogs/tests-question.tsx";
import { TrustProjectDialog } from "../dialogs/trust-question.tsx";
import { MAIN_PAGES, TopBar, projectName } from "./top-bar.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { draftIndex } from "../browser/drafts/kept.ts";
import { useStore } from "../browser/store.ts";
import { bindClassNames } from "../browser/classes.ts";
import shellSheet from "./shell.module.css";

const css = bindClassNames(shellSheet);

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
    "g k": () => navigate(hrefOf("link")),
    "/": focusSearch,
  });
  const key = page === "casts" && name !== null ? "cast" : page;
  const Page = Object.hasOwn(PAGES, key) ? PAGES[key] : undefined;
  useDocumentTitle(page, name);
  useUnsavedWarning();
  useCastNotifications();
  useEffect(() => {
    if (page !== "casts" || name !== null) return undefined;
    const timer = setTimeout(() => void loadCastPage(), 500);
    return () => clearTimeout(timer);
  }, [page, name]);
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
      <TrustProjectDialog />
      <RenameTestsDialog />
      {dialog === "keys" && <ShortcutsDialog onClose={close} />}
      {dialog === "palette" && <GoToDialog onClose={close} />}
    </>
  );
}

/** Pages that the bar does not name. */
const OTHER_PAGE_TITLES: Readonly<Record<string, string>> = {
  fleet: "Fleet",
  settings: "Settings",
  help: "Guide",
  compare: "Compare",
  find: "Find",
  tests: "Tests",
};

/** The tab says what it shows, and of which project. */
function useDocumentTitle(page: string, name: string | null): void {
  const { cwd } = useCatalog();
  const { before, shown: request } = useCastTitle(page, name);
  useEffect(() => {
    const shown =
      request ?? name ?? MAIN_PAGES.find((place) => place.page === page)?.label ?? OTHER_PAGE_TITLES[page] ?? "Nothing here";
    document.title = [`${before}${shown}`, ...(cwd === null ? [] : [projectName(cwd)]), "pi-materia"].join(" · ");
  }, [page, name, cwd, before, request]);
}

/** [W29] The browser asks before a page with unsaved work is closed, though it is kept. */
function useUnsavedWarning(): void {
  const has = useStore(draftIndex).names.length > 0;
  useEffect(() => {
    if (!has) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [has]);
}

/** The search field of the page, where it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}
