import type { ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import { checkTarget } from "../../../core/compile/targets/compile.ts";
import { catalogEntryOf, type LoadoutDraft } from "../../../core/edit/loadout-draft.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { hrefOf } from "../browser/route.ts";
import { isDirty, type OpenLoadoutDraft, loadoutDrafts } from "../loadout-editor/editor.ts";
import { useStore } from "../browser/store.ts";
import { css } from "../ui/classes.ts";

const LAYER_TITLES = {
  project: "Project",
  user: "User",
  explicit: "Named file",
  environment: "MATERIA_CONFIG",
  bundled: "Bundled",
} as const;

export interface ListedLoadout {
  readonly name: string;
  readonly layer: keyof typeof LAYER_TITLES;
  readonly problems: { readonly errors: number; readonly warnings: number };
  readonly draft: OpenLoadoutDraft | undefined;
  readonly isActive: boolean;
}

/** All loadouts and drafts, by layer. */
function listLoadouts(catalog: Catalog, drafts: ReadonlyMap<string, OpenLoadoutDraft>): readonly ListedLoadout[] {
  const renamed = new Set([...drafts.values()].flatMap(({ was }) => was ?? []));
  const names = [...new Set([...catalog.loadouts.keys(), ...drafts.keys()])].filter(
    (name) => !renamed.has(name) || drafts.has(name),
  );
  return names.map((name) => {
    const entry = catalog.loadouts.get(name);
    const draft = drafts.get(name);
    const problems = countProblems(name, draft?.history.present ?? entry, catalog);
    return {
      name,
      layer: draft?.layer ?? entry?.layer ?? "project",
      problems,
      draft,
      isActive: catalog.settings.activeLoadout.value === name,
    };
  });
}

interface ProblemCount {
  readonly catalog: Catalog;
  readonly problems: ListedLoadout["problems"];
}

const problemCounts = new WeakMap<object, ProblemCount>();

/** Check each version of a loadout once: typing in one must not check them all. */
function countProblems(
  name: string,
  version: LoadoutDraft | CatalogEntry<Loadout> | undefined,
  catalog: Catalog,
): ListedLoadout["problems"] {
  const none = { errors: 0, warnings: 0 };
  if (!version) return none;
  const known = problemCounts.get(version);
  if (known?.catalog === catalog) return known.problems;
  const entry = "loadout" in version ? catalogEntryOf(name, version) : version;
  const found = checkTarget({ kind: "loadout", name, entry }, catalog, 1).issues;
  const errors = found.filter(({ severity }) => severity === "error").length;
  const problems = { errors, warnings: found.length - errors };
  problemCounts.set(version, { catalog, problems });
  return problems;
}

export function LoadoutList(props: {
  readonly catalog: Catalog;
  readonly chosen: string | null;
  readonly onNew: () => void;
}): ReactElement {
  const { catalog, chosen, onNew } = props;
  const all = listLoadouts(catalog, useStore(loadoutDrafts));
  const layers = (Object.keys(LAYER_TITLES) as (keyof typeof LAYER_TITLES)[]).filter((layer) =>
    all.some((each) => each.layer === layer),
  );
  return (
    <nav aria-label="Loadouts">
      <h2>
        Loadouts <span className={css("faint")}>{all.length}</span>
      </h2>
      {layers.map((layer) => (
        <section key={layer} aria-label={LAYER_TITLES[layer]}>
          <h3 className={css("layer")}>{LAYER_TITLES[layer]}</h3>
          <ul>
            {all
              .filter((each) => each.layer === layer)
              .map((each) => (
                <li key={each.name}>
                  <LoadoutItem {...each} chosen={each.name === chosen} />
                </li>
              ))}
          </ul>
        </section>
      ))}
      <div className={css("padded")}>
        <Button icon="plus" className={css("whole-width")} onClick={onNew}>
          New loadout
        </Button>
      </div>
    </nav>
  );
}

function LoadoutItem(props: ListedLoadout & { readonly chosen: boolean }): ReactElement {
  const { name, layer, problems, draft, isActive, chosen } = props;
  const { errors, warnings } = problems;
  const changed = draft !== undefined && draft.layer !== null && isDirty(draft);
  const isLocked = layer !== "project" && layer !== "user";
  return (
    <a className={css("side-row")} href={hrefOf("loadouts", name)} aria-current={chosen ? "page" : undefined}>
      <span className={css("cut grow")}>{name}</span>
      {isActive && <span className={css("badge")}>Active</span>}
      {changed && (
        <span className={css("unsaved")} title="Not saved">
          <span className={css("spoken")}>not saved</span>
        </span>
      )}
      {errors > 0 && (
        <span className={css("status bad")}>
          <Icon name="warning" />
          {errors}
          <span className={css("spoken")}>errors</span>
        </span>
      )}
      {errors === 0 && warnings > 0 && (
        <span className={css("status rework")}>
          {warnings}
          <span aria-hidden="true">?</span>
          <span className={css("spoken")}>warnings</span>
        </span>
      )}
      {isLocked && (
        <span className={css("faint")} title="Read-only">
          <Icon name="lock" />
          <span className={css("spoken")}>read-only</span>
        </span>
      )}
    </a>
  );
}
