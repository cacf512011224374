import { useEffect, useMemo, type ReactElement } from "react";
import { useCatalog } from "../../data/use-catalog.ts";
import { navigate, hrefOf, type PageProps } from "../../browser/route.ts";
import { EditorView } from "./view.tsx";
import { EditorProvider, useEditorState } from "./state/editor.ts";
import { useLoadoutDraft, type OpenLoadoutDraft } from "./state/works.ts";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { catalogWithMateria } from "../../../../../core/edit/carry.ts";
import { bindClassNames } from "../../browser/classes.ts";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import workbenchSheet from "../../parts/controls/workbench.module.css";

const css = bindClassNames(workbenchSheet, controlsSheet, marksSheet);

export default function LoadoutsPage({ name }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const work = useLoadoutDraft(name, catalog);
  useEffect(() => {
    // The list alone has nothing to show beside it: the active loadout is what people look for, where it is there.
    const active = catalog?.settings.activeLoadout.value ?? "";
    const first = catalog?.loadouts.has(active) ? active : catalog?.loadouts.keys().next().value;
    if (name === null && first !== undefined) navigate(hrefOf("loadouts", first));
  }, [name, catalog]);
  if (!catalog) {
    return (
      <div className={css("blank")}>
        {issues.map(({ message }) => (
          <p key={message} className={css("note bad")}>
            {message}
          </p>
        ))}
      </div>
    );
  }
  if (!work)
    return name === null || catalog.loadouts.has(name) ? <div className={css("blank")} /> : <LoadoutNotFound name={name} />;
  return <LoadoutEditor work={work} catalog={catalog} />;
}

function LoadoutEditor({ work, catalog }: { readonly work: OpenLoadoutDraft; readonly catalog: Catalog }): ReactElement {
  const all = useMemo(() => catalogWithMateria(catalog, work.brings), [catalog, work.brings]);
  const editor = useEditorState(work, all);
  return (
    <EditorProvider value={editor}>
      <EditorView />
    </EditorProvider>
  );
}

function LoadoutNotFound({ name }: { readonly name: string }): ReactElement {
  return (
    <div className={css("blank")}>
      <h1>{name}</h1>
      <p>There is no loadout of this name.</p>
      <a className={css("control-button")} href={hrefOf("loadouts")}>
        All loadouts
      </a>
    </div>
  );
}
