import { useEffect, useMemo, type ReactElement } from "react";
import { useCatalog } from "../../data/use-catalog.ts";
import { go, hrefOf, type PageProps } from "../../browser/route.ts";
import { EditorView } from "./view.tsx";
import { EditorProvider, useEditorState } from "./state/editor.ts";
import { useWork, type Work } from "./state/works.ts";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { withMateria } from "../../../../../core/edit/carry.ts";
import { classesOf } from "../../browser/classes.ts";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import workbenchSheet from "../../parts/controls/workbench.module.css";

const css = classesOf(workbenchSheet, controlsSheet, marksSheet);

export default function LoadoutsPage({ name }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const work = useWork(name, catalog);
  useEffect(() => {
    // The list alone has nothing to show beside it: the active loadout is what people look for, where it is there.
    const active = catalog?.settings.activeLoadout.value ?? "";
    const first = catalog?.loadouts.has(active) ? active : catalog?.loadouts.keys().next().value;
    if (name === null && first !== undefined) go(hrefOf("loadouts", first));
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
    return name === null || catalog.loadouts.has(name) ? <div className={css("blank")} /> : <Missing name={name} />;
  return <Opened work={work} catalog={catalog} />;
}

function Opened({ work, catalog }: { readonly work: Work; readonly catalog: Catalog }): ReactElement {
  const all = useMemo(() => withMateria(catalog, work.brings), [catalog, work.brings]);
  const editor = useEditorState(work, all);
  return (
    <EditorProvider value={editor}>
      <EditorView />
    </EditorProvider>
  );
}

function Missing({ name }: { readonly name: string }): ReactElement {
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
