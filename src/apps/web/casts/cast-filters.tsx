import { useMemo, type ReactElement } from "react";
import { CAST_FILTERS, ALL_CASTS, matchesSearch, type CastSearch } from "../../../core/view/cast-list.ts";
import { hrefOf } from "../browser/route.ts";
import { Icon } from "../ui/icons.tsx";
import { capitalize } from "../ui/status.tsx";
import { bindSheets } from "../ui/classes.ts";
import castsSheet from "./casts.module.css";
import type { CastSummary } from "../../../core/cast/summary.ts";

const css = bindSheets(castsSheet);

export function CastFilters(props: {
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
          In texts
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
              {`${capitalize(each.replace("_", " "))} ${count}`}
            </button>
          );
        })}
      </div>
      <select
        className={css("chooser")}
        aria-label="Loadout"
        value={loadout ?? ""}
        onChange={(event) => onSearch({ ...search, loadout: event.target.value === "" ? null : event.target.value })}
      >
        <option value="">Any loadout</option>
        {loadouts.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </>
  );
}
