import { Suspense, useEffect, useState, type ReactElement } from "react";
import { useCastTitle, useNotices } from "./attention.ts";
import { PAGES, loadCastPage } from "./pages.tsx";
import { Mishap, UnknownPage } from "./mishap.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { useKeys } from "../browser/keys.ts";
import { Palette } from "./palette.tsx";
import { go, hrefOf, usePlace } from "../browser/route.ts";
import { switchTheme } from "./theme.ts";
import { Toasts } from "../parts/controls/toasts.tsx";
import { Standing } from "./standing.tsx";
import { TestsQuestion } from "../dialogs/tests-question.tsx";
import { TrustQuestion } from "../dialogs/trust-question.tsx";
import { PLACES, TopBar, projectName } from "./top-bar.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { kept } from "../browser/drafts/kept.ts";
import { useStore } from "../browser/store.ts";
import { classesOf } from "../browser/classes.ts";
import shellSheet from "./shell.module.css";

const css = classesOf(shellSheet);

export function App(): ReactElement {
  const { page, name, search } = usePlace();
  const [dialog, setDialog] = useState<"keys" | "palette" | null>(null);
  const close = (): void => setDialog(null);
  useKeys({
    "ctrl+k": () => setDialog("palette"),
    "?": () => setDialog("keys"),
    t: switchTheme,
    "g c": () => go(hrefOf("casts")),
    "g l": () => go(hrefOf("loadouts")),
    "g m": () => go(hrefOf("materia")),
    "g k": () => go(hrefOf("link")),
    "/": focusSearch,
  });
  const key = page === "casts" && name !== null ? "cast" : page;
  const Page = Object.hasOwn(PAGES, key) ? PAGES[key] : undefined;
  useTitle(page, name);
  useUnsaved();
  useNotices();
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
      <Standing />
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<div className={css("loading")} aria-label="Loading" />}>
          <Mishap key={`${page}/${name ?? ""}`}>
            {Page ? <Page name={name} search={search} /> : <UnknownPage page={page} />}
          </Mishap>
        </Suspense>
      </main>
      <Toasts />
      <TrustQuestion />
      <TestsQuestion />
      {dialog === "keys" && <KeysDialog onClose={close} />}
      {dialog === "palette" && <Palette onClose={close} />}
    </>
  );
}

/** Pages that the bar does not name. */
const TITLES: Readonly<Record<string, string>> = {
  fleet: "Fleet",
  settings: "Settings",
  help: "Guide",
  compare: "Compare",
  find: "Find",
  tests: "Tests",
};

/** The tab says what it shows, and of which project. */
function useTitle(page: string, name: string | null): void {
  const { cwd } = useCatalog();
  const { before, shown: request } = useCastTitle(page, name);
  useEffect(() => {
    const shown =
      request ?? name ?? PLACES.find((place) => place.page === page)?.label ?? TITLES[page] ?? "Nothing here";
    document.title = [`${before}${shown}`, ...(cwd === null ? [] : [projectName(cwd)]), "pi-materia"].join(" · ");
  }, [page, name, cwd, before, request]);
}

/** [W29] The browser asks before a page with unsaved work is closed, though it is kept. */
function useUnsaved(): void {
  const has = useStore(kept).names.length > 0;
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
