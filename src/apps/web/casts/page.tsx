import { useEffect, useMemo, useState, type ReactElement } from "react";
import type { QueuedCast } from "../../../core/view/progress/fleet-status.ts";
import {
  CAST_FILTERS,
  ALL_CASTS,
  groupCasts,
  needsPersonNow,
  matchesSearch,
  sortCasts,
  type CastSearch,
  type CastSort,
} from "../../../core/view/cast-list.ts";
import type { InboxRow } from "../../../core/view/inbox.ts";
import { costText, dateText, groupedText } from "../../../core/view/numbers.ts";
import { countedText, oneLine } from "../../../core/model/text.ts";
import { getInbox } from "../net/api.ts";
import { CopyButton } from "../ui/toasts.tsx";
import { Menu, Button, type MenuItem } from "../ui/buttons.tsx";
import { useConnection } from "../net/follow.ts";
import { IssueList } from "../ui/issues.tsx";
import { hrefOf, replaceSearchParams, type PageProps } from "../browser/route.ts";
import { textScale, useScreenWidth, useNow } from "../browser/display.ts";
import { CAST_COLUMNS } from "./cast-cells.tsx";
import { CastTable, CastCards } from "./cast-table.tsx";
import { added, useCastListKeys, useRowActions, without, useStoredIds } from "./use-row-actions.tsx";
import { followCastsOnce, useCasts, useFleetStatus } from "../data/use-casts-and-fleet.ts";
import { bindSheets } from "../ui/classes.ts";
import castsSheet from "./casts.module.css";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { Select } from "../ui/fields.tsx";
import { Icon } from "../ui/icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { capitalize, CastStatusLabel } from "../ui/status.tsx";
import { useFirstView } from "../browser/first-view.ts";
import { useKeptScroll } from "../browser/use-virtual-rows.ts";

const css = bindSheets(castsSheet);

const NewCastDialog = lazyPart(async () => (await import("../dialogs/new-cast-dialog.tsx")).default);

const NO_QUEUED_CASTS: readonly QueuedCast[] = [];

export default function CastsPage({ search: address }: PageProps): ReactElement {
  const { casts, isReady, issues } = useCasts();
  const [search, setSearch] = useCastSearch(address);
  const [starting, setStarting] = useAskedCast(address.get("new"));
  const [unfolded, setUnfolded] = useState(false);
  // [W46] Columns that the person has hidden stay hidden, in this browser.
  const [hidden, setHidden] = useStoredIds("materia-hidden-columns", DEFAULT_HIDDEN);
  const now = useNow(true, 10_000);
  const width = useScreenWidth();
  // Large letters need the width of the cards.
  const isSmall = width === "small" || innerWidth < 720 * textScale();
  const CastList = isSmall ? CastCards : CastTable;
  const { act, busy, archived, deleting, dialog } = useRowActions();
  const found = useMemo(() => {
    const isListed = ({ castId }: CastSummary): boolean =>
      !deleting.has(castId) && archived.has(castId) === (search.filter === "archived");
    return casts.filter((cast) => isListed(cast) && matchesSearch(cast, search));
  }, [casts, deleting, archived, search]);
  const [sort, setSort] = useState<CastSort | null>(null);
  const groups = useMemo(
    () => (sort ? [{ title: "", casts: sortCasts(found, sort, now) }] : groupCasts(found, (at) => dayText(at, now))),
    [found, now, sort],
  );
  const { status: standing } = useFleetStatus(found.some(({ status }) => status === "queued"));
  const isEmpty = isReady && casts.length === 0;
  const keys = useCastListKeys(found, act);
  useKeptScroll(keys.list, isReady);
  useEffect(followCastsOnce, []);
  useFirstView(isReady);
  return (
    <section className={css("view casts")} aria-label="Casts">
      <div className={css("page-head")}>
        <h1>Casts</h1>
        {!isEmpty && <CastFilters casts={casts} archived={archived} search={search} onSearch={setSearch} />}
        <span className={css("grow large-only")} />
        {width === "large" && !isEmpty && <Menu label="Choose columns" items={() => columnItems(hidden, setHidden)} />}
        <Button look="primary" icon="plus" onClick={() => setStarting("")}>
          New cast
        </Button>
      </div>
      <IssueList issues={issues} />
      <OtherProjects casts={casts} />
      {casts.length === 0 ? (
        <NoCasts isReady={isReady} onStart={() => setStarting("")} />
      ) : found.length === 0 ? (
        <NoMatch text={search.text} onClear={() => setSearch(ALL_CASTS)} />
      ) : (
        <div className={css(isSmall ? "list" : "list panel")} data-scrolls ref={keys.list} onKeyDown={keys.onKeyDown}>
          <CastList
            {...{ groups, now, archived, hidden, sort, unfolded, busy }}
            waits={standing?.queue ?? NO_QUEUED_CASTS}
            onSort={setSort}
            onUnfold={() => setUnfolded(!unfolded)}
            onAct={act}
          />
        </div>
      )}
      {starting !== null && <NewCastDialog loadout={starting} onClose={() => setStarting(null)} />}
      {dialog}
    </section>
  );
}

/** [YI6] Casts of other projects that need a person, each with the command that answers. */
function OtherProjects({ casts }: { readonly casts: readonly CastSummary[] }): ReactElement | null {
  const [rows, setRows] = useState<readonly InboxRow[]>([]);
  const minute = useNow(true, 60_000);
  const { isReady } = useCasts();
  useEffect(() => {
    if (isReady) void getInbox().then((answer) => answer.ok && setRows(answer.value));
  }, [isReady, minute]);
  const here = useMemo(() => new Set(casts.map(({ castId }) => castId)), [casts]);
  const others = rows.filter(({ castId }) => !here.has(castId));
  if (others.length === 0) return null;
  return (
    <details className={css("list panel")} open={others.some(needsPersonNow)}>
      <summary className={css("inbox-head")}>Inbox: {countedText(others.length, "cast")} of other projects</summary>
      <ul className={css("inbox")} aria-label="Casts of other projects">
        {others.map(({ castId, project, cwd, status, request, needs, command, cost }) => (
          <li key={castId}>
            <CastStatusLabel status={status} />
            <strong title={cwd}>{project}</strong>
            <span className={css("what")}>
              {oneLine(request, 120)} <span className={css("faint")}>{needs}</span>
            </span>
            <span className={css("number faint")}>{costText(cost)}</span>
            <code>{command}</code>
            <CopyButton text={command} what="the command" />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The loadout of a new cast, empty for the active one. *Go to* may ask for it by the address. */
function useAskedCast(asked: string | null): readonly [string | null, (loadout: string | null) => void] {
  const [starting, setStarting] = useState<string | null>(null);
  useEffect(() => {
    if (asked === null) return;
    setStarting(asked);
    replaceSearchParams({ new: null });
  }, [asked]);
  return [starting, setStarting];
}

function columnItems(hidden: ReadonlySet<string>, onHidden: (ids: ReadonlySet<string>) => void): readonly MenuItem[] {
  return CAST_COLUMNS.map(({ key, title }) => ({
    label: `${hidden.has(key) ? "Show" : "Hide"} ${title.toLowerCase()}`,
    act: () => onHidden(hidden.has(key) ? without(hidden, key) : added(hidden, key)),
  }));
}

const DEFAULT_HIDDEN: ReadonlySet<string> = new Set(["visits", "model"]);

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

function NoMatch({ text, onClear }: { readonly text: string; readonly onClear: () => void }): ReactElement {
  return (
    <div className={css("empty")}>
      <p>No cast matches. Clear the filter, or search in the texts.</p>
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

function dayText(at: string, now: number): string {
  const day = new Date(at);
  const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
  const days = Math.round((midnight(new Date(now)) - midnight(day)) / 86_400_000);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return dateText(day);
}

function CastFilters(props: {
  readonly casts: readonly CastSummary[];
  readonly archived: ReadonlySet<string>;
  readonly search: CastSearch;
  readonly onSearch: (search: CastSearch) => void;
}): ReactElement {
  const { casts, archived, search, onSearch } = props;
  const { filter, text, loadout } = search;
  const loadouts = useMemo(() => [...new Set(casts.map((cast) => cast.loadout))].toSorted(), [casts]);
  return (
    <>
      <label className={css("field grow find")}>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search requests, ids, loadouts"
          aria-label="Search casts"
          value={text}
          onChange={(event) => onSearch({ ...search, text: event.target.value })}
        />
        <kbd>/</kbd>
      </label>
      {text.trim().length > 1 && (
        <a className={css("find-texts")} href={hrefOf("find", undefined, { q: text.trim() })}>
          Search in texts
        </a>
      )}
      <div className={css("row wrap chips")} role="group" aria-label="Show">
        {CAST_FILTERS.map((each) => {
          const listed = casts.filter(({ castId }) => archived.has(castId) === (each === "archived"));
          const count = listed.filter((cast) => matchesSearch(cast, { ...ALL_CASTS, filter: each })).length;
          if (count === 0 && each !== "all" && each !== filter) return null;
          return (
            <button
              key={each}
              type="button"
              className={css("chip")}
              aria-pressed={each === filter}
              onClick={() => onSearch({ ...search, filter: each })}
            >
              {`${capitalize(each.replace("_", " "))} ${groupedText(count)}`}
            </button>
          );
        })}
      </div>
      <Select
        label="Loadout"
        value={loadout ?? ""}
        options={[{ value: "", label: "Any loadout" }, ...loadouts.map((name) => ({ value: name, label: name }))]}
        onPick={(name) => onSearch({ ...search, loadout: name || null })}
      />
    </>
  );
}
