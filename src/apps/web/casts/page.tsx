import { useMemo, useState, type ReactElement, useRef, type KeyboardEvent, type RefObject } from "react";
import type { QueuedCast } from "../../../core/view/progress/fleet-status.ts";
import { CAST_FILTERS, ALL_CASTS, groupCasts, matchesSearch, type CastSearch } from "../../../core/view/cast-list.ts";
import { AbortDialog, TrustCastDialog } from "../dialogs/confirm-cast-dialogs.tsx";
import { useCommand } from "../data/use-command.ts";
import { useConnection } from "../net/connection.ts";
import { Button } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { navigate, hrefOf, replaceSearchParams, type PageProps } from "../browser/route.ts";
import { useNow } from "../browser/use-now.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";
import { CastCards } from "./cast-cards.tsx";
import { CastFilters } from "./cast-filters.tsx";
import { NewCastDialog } from "./new-cast-dialog.tsx";
import { CastTable, nextActionOf } from "./cast-table.tsx";
import { useCasts, useFleetStatus } from "../data/use-casts-and-fleet.ts";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import pageSheet from "../styles/page.module.css";
import marksSheet from "../ui/marks.module.css";
import controlsSheet from "../ui/controls.module.css";
import castsSheet from "./casts.module.css";
import { useKeys } from "../browser/keyboard.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

const css = bindClassNames(castsSheet, controlsSheet, marksSheet, pageSheet, baseSheet);

/** The action of a row. */
export type CastAction = "continue" | "resume" | "abort" | "raise";

const NO_QUEUED_CASTS: readonly QueuedCast[] = [];

export default function CastsPage({ search: address }: PageProps): ReactElement {
  const { casts, isReady, issues } = useCasts();
  const [search, setSearch] = useCastSearch(address);
  const [isStarting, setStarting] = useState(false);
  const [aborting, setAborting] = useState<CastSummary | null>(null);
  const [resuming, setResuming] = useState<CastSummary | null>(null);
  const command = useCommand();
  const now = useNow(true, 10_000);
  const width = useScreenWidth();
  // Large letters need the width of the cards.
  const isSmall = width === "small" || innerWidth < 608 * textScale();
  const CastList = isSmall ? CastCards : CastTable;
  const found = useMemo(() => casts.filter((cast) => matchesSearch(cast, search)), [casts, search]);
  const groups = useMemo(() => groupCasts(found, (at) => dayText(at, now)), [found, now]);
  const { status: standing } = useFleetStatus(found.some(({ status }) => status === "queued"));
  const resume = async (cast: CastSummary): Promise<void> => {
    if ((await command.run({ kind: "recast", castId: cast.castId }, "Resumed")) === null) setResuming(cast);
  };
  const act = (cast: CastSummary, action: CastAction): void => {
    if (action === "abort") setAborting(cast);
    else if (action === "resume") void resume(cast);
    else navigate(hrefOf("casts", cast.castId, { do: action }));
  };
  const keys = useCastListKeys(found, act);
  return (
    <section className={css("view casts")} aria-label="Casts">
      <div className={css("page-head")}>
        <h1>Casts</h1>
        <CastFilters casts={casts} search={search} onSearch={setSearch} />
        <StartLinks onStart={() => setStarting(true)} />
      </div>
      <IssueList issues={issues} />
      {casts.length === 0 ? (
        <NoCasts isReady={isReady} onStart={() => setStarting(true)} />
      ) : found.length === 0 ? (
        <NoMatch text={search.text} onClear={() => setSearch(ALL_CASTS)} />
      ) : (
        <div className={css(isSmall ? "list" : "list panel")} data-scrolls ref={keys.list} onKeyDown={keys.onKeyDown}>
          <CastList
            groups={groups}
            now={now}
            waits={standing?.queue ?? NO_QUEUED_CASTS}
            onAct={act}
            busy={command.busy}
          />
        </div>
      )}
      <KeyHints />
      {isStarting && <NewCastDialog onClose={() => setStarting(false)} />}
      {resuming && command.isForeign && (
        <TrustCastDialog castId={resuming.castId} issues={command.issues} onClose={() => setResuming(null)} />
      )}
      {aborting && (
        <AbortDialog castId={aborting.castId} request={aborting.request} onClose={() => setAborting(null)} />
      )}
    </section>
  );
}

/** [W37] The address contains the search, so that Back restores it. */
function useCastSearch(address: URLSearchParams): readonly [CastSearch, (search: CastSearch) => void] {
  const [search, setSearch] = useState<CastSearch>(() => ({
    filter: CAST_FILTERS.find((each) => each === address.get("show")) ?? "all",
    text: address.get("q") ?? "",
    loadout: address.get("loadout"),
  }));
  const change = (next: CastSearch): void => {
    setSearch(next);
    replaceSearchParams({
      show: next.filter === "all" ? null : next.filter,
      q: next.text === "" ? null : next.text,
      loadout: next.loadout,
    });
  };
  return [search, change];
}

/** Links to start something new. */
function StartLinks({ onStart }: { readonly onStart: () => void }): ReactElement {
  return (
    <>
      <span className={css("grow large-only")} />
      <a className={css("control-button")} href={hrefOf("tests")}>
        Tests
      </a>
      <a className={css("control-button")} href={hrefOf("link")}>
        New link
      </a>
      <Button look="primary" icon="plus" onClick={onStart}>
        New cast
      </Button>
    </>
  );
}

function NoMatch({ text, onClear }: { readonly text: string; readonly onClear: () => void }): ReactElement {
  return (
    <div className={css("empty")}>
      <p>No cast matches.</p>
      <Button onClick={onClear}>Clear the filter</Button>
      {text.trim() !== "" && (
        <a href={hrefOf("find", undefined, { q: text.trim() })}>Search in outputs, prompts and tool calls</a>
      )}
    </div>
  );
}

function NoCasts({ isReady, onStart }: { readonly isReady: boolean; readonly onStart: () => void }): ReactElement {
  const { state } = useConnection();
  if (state === "refused")
    return (
      <div className={css("empty")}>
        <p>
          This page has no valid token. Open the address that <code>materia ui</code> printed.
        </p>
      </div>
    );
  if (!isReady) return <div className={css("list panel skeleton")} aria-label="Loading casts" role="status" />;
  return (
    <div className={css("empty")}>
      <p>
        No casts yet. Start one, or run the demo in a terminal: <code>materia demo</code> needs no model.
      </p>
      <Button look="primary" icon="plus" onClick={onStart}>
        New cast
      </Button>
    </div>
  );
}

function KeyHints(): ReactElement {
  return (
    <div className={css("keys")} aria-hidden="true">
      <span>
        <kbd>{renderSymbols("↑")}</kbd>
        <kbd>{renderSymbols("↓")}</kbd> move
      </span>
      <span>
        <kbd>Enter</kbd> open
      </span>
      <span>
        <kbd>C</kbd> continue
      </span>
      <span>
        <kbd>R</kbd> resume
      </span>
      <span>
        <kbd>X</kbd> abort
      </span>
      <span>
        <kbd>?</kbd> all keys
      </span>
    </div>
  );
}

function dayText(at: string, now: number): string {
  const day = new Date(at);
  const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
  const days = Math.round((midnight(new Date(now)) - midnight(day)) / 86_400_000);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return day.toLocaleDateString("en", { weekday: "long", day: "numeric", month: "long" });
}

const ACTION_KEYS: Readonly<Record<string, readonly CastAction[]>> = {
  c: ["continue"],
  r: ["resume", "raise"],
  x: ["abort"],
};

/** Arrow keys move through the casts; letters run the action of the row. */
function useCastListKeys(
  casts: readonly CastSummary[],
  act: (cast: CastSummary, action: CastAction) => void,
): { readonly list: RefObject<HTMLDivElement | null>; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const list = useRef<HTMLDivElement>(null);
  // From anywhere on the page, unless a control handles the key.
  const enter = (from: "first" | "last"): boolean => {
    if (document.activeElement?.closest("main *")) return false;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    links.at(from === "first" ? 0 : -1)?.focus();
    return links.length > 0;
  };
  useKeys({ down: () => enter("first"), up: () => enter("last") });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    const row = event.target instanceof Element ? event.target.closest("tr, li")?.querySelector("a[data-cast]") : null;
    const at = links.findIndex((link) => link === row);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
      return;
    }
    const cast = casts.find(({ castId }) => castId === links[at]?.dataset["cast"]);
    const wanted = ACTION_KEYS[event.key.toLowerCase()];
    const action = cast ? nextActionOf(cast)[0] : null;
    if (!cast || action === null || !wanted?.includes(action)) return;
    event.preventDefault();
    act(cast, action);
  };
  return { list, onKeyDown };
}
