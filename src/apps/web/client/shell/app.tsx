import { Suspense, useEffect, useState } from "react";
import type { ReactElement } from "react";
import { PAGES, loadCastPage } from "./pages.tsx";
import { Mishap, UnknownPage } from "./mishap.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { useKeys } from "../browser/keys.ts";
import { Palette } from "./palette.tsx";
import { go, hrefOf, usePlace } from "../browser/route.ts";
import { switchTheme } from "./theme.ts";
import { Toasts } from "../parts/controls/toasts.tsx";
import { TopBar } from "./top-bar.tsx";
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
  useEffect(() => {
    document.title = `${name ?? page.charAt(0).toUpperCase() + page.slice(1)} · pi-materia`;
  }, [page, name]);
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
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<div className={css("loading")} aria-label="Loading" />}>
          <Mishap key={`${page}/${name ?? ""}`}>
            {Page ? <Page name={name} search={search} /> : <UnknownPage page={page} />}
          </Mishap>
        </Suspense>
      </main>
      <Toasts />
      {dialog === "keys" && <KeysDialog onClose={close} />}
      {dialog === "palette" && <Palette onClose={close} />}
    </>
  );
}

/** The search field of the page, where it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}
