import { useEffect, useState } from "react";
import type { ReactElement } from "react";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { compile } from "../../../../../core/compile/targets/compile.ts";
import { useCatalog } from "../../data/use-catalog.ts";
import { NameDialog, freeName } from "../../dialogs/name-dialog.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { Orb } from "../../parts/marks/orb.tsx";
import { RehearseDialog } from "../../dialogs/rehearse-dialog.tsx";
import { Diff } from "../../dialogs/diff.tsx";
import { ReviewDialog } from "../../dialogs/review-dialog.tsx";
import { useKeysOutsideDialogs } from "../../browser/keys.ts";
import { go, hrefOf } from "../../browser/route.ts";
import type { PageProps } from "../../browser/route.ts";
import { toast } from "../../parts/controls/toasts.tsx";
import { useWidth } from "../../browser/use-width.ts";
import { MateriaForm } from "./fields/form.tsx";
import { MateriaList } from "./list.tsx";
import { Preview } from "./preview.tsx";
import {
  beginMateria,
  isChanged,
  readMateriaDraft,
  redoMateria,
  savedMateria,
  undoMateria,
  useMateriaWork,
} from "./state/state.ts";
import type { MateriaWork } from "./state/state.ts";
import { useBundled } from "./state/use-bundled.ts";
import { seatsOf } from "./state/used-by.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";
import workbenchSheet from "../../parts/controls/workbench.module.css";
import materiaSheet from "./look/materia.module.css";

const css = classesOf(materiaSheet, workbenchSheet, dialogSheet, controlsSheet, marksSheet, baseSheet);

type Open = "review" | "compare" | "duplicate" | "new" | "rehearse" | "list" | null;

export default function MateriaPage({ name }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const work = useMateriaWork(name, catalog);
  useEffect(() => {
    const first = catalog?.materia.keys().next().value;
    if (name === null && first !== undefined) go(hrefOf("materia", first));
  }, [name, catalog]);
  if (!catalog) return <div className={css("blank")}>{issues.map(({ message }) => message).join(" ")}</div>;
  if (!work) {
    return name === null || catalog.materia.has(name) ? (
      <div className={css("blank")} />
    ) : (
      <div className={css("blank")}>
        <h1>{name}</h1>
        <p>There is no materia of this name.</p>
        <a className={css("control-button")} href={hrefOf("materia")}>
          All materia
        </a>
      </div>
    );
  }
  return <Opened work={work} catalog={catalog} />;
}

function Opened({ work, catalog }: { readonly work: MateriaWork; readonly catalog: Catalog }): ReactElement {
  const [open, setOpen] = useState<Open>(null);
  const width = useWidth();
  const { name, history } = work;
  const { value, issues } = readMateriaDraft(name, history.present);
  const isOff = isChanged(work) ? null : "Nothing to save";
  useKeysOutsideDialogs({
    "ctrl+s": () => setOpen("review"),
    "ctrl+z": () => undoMateria(name),
    "ctrl+shift+z": () => redoMateria(name),
  });
  const list = <MateriaList catalog={catalog} chosen={name} onNew={() => setOpen("new")} />;
  return (
    <>
      <Head work={work} catalog={catalog} open={setOpen} off={isOff} />
      <div className={css("materia-grid")}>
        {width === "large" && (
          <aside className={css("side-panel")} aria-label="All materia">
            {list}
          </aside>
        )}
        <MateriaForm work={work} value={value} issues={issues} />
        <Preview name={name} value={value} catalog={catalog} />
      </div>
      {open === "list" && (
        <Dialog
          title="All materia"
          onClose={() => setOpen(null)}
          className={css(width === "small" ? "sheet" : "drawer")}
        >
          <div className={css("side-panel")}>{list}</div>
        </Dialog>
      )}
      <Dialogs open={open} work={work} catalog={catalog} onClose={() => setOpen(null)} />
    </>
  );
}

function Head(props: {
  readonly work: MateriaWork;
  readonly catalog: Catalog;
  readonly open: (open: Open) => void;
  readonly off: string | null;
}): ReactElement {
  const { work, catalog, open, off } = props;
  const width = useWidth();
  const { name, history } = work;
  const { value } = readMateriaDraft(name, history.present);
  const entry = catalog.materia.get(name);
  const layer = work.layer ?? entry?.layer ?? "project";
  const used = new Set(seatsOf(catalog, name).map(({ loadout }) => loadout)).size;
  const bundled = useBundled(name);
  const notes = [
    ...(layer !== "bundled" && bundled !== null ? ["replaces bundled"] : []),
    ...(layer === "bundled" ? ["saved as your own when you change it"] : []),
    `used by ${used} ${used === 1 ? "loadout" : "loadouts"}`,
    ...(isChanged(work) ? ["not saved"] : []),
  ];
  return (
    <div className={css("toolbar")} role="toolbar" aria-label="Materia">
      <Orb materia={value ?? entry?.value} size="lg" />
      <h1 className={css("thing")}>{name}</h1>
      <span className={css("badge capital")}>{layer}</span>
      <span className={css("faint")}>{notes.join(" · ")}</span>
      <span className={css("grow")} />
      {width !== "large" && <Button onClick={() => open("list")}>All materia</Button>}
      <Steps work={work} />
      {width === "large" && (
        <Button
          off={
            bundled !== null && layer !== "bundled"
              ? null
              : work.filed === null
                ? "There is nothing to compare with"
                : null
          }
          onClick={() => open("compare")}
        >
          {bundled !== null && layer !== "bundled" ? "Compare with bundled…" : "Compare with saved…"}
        </Button>
      )}
      <Button onClick={() => open("duplicate")}>Duplicate…</Button>
      <Button icon="play" onClick={() => open("rehearse")}>
        Rehearse…
      </Button>
      <Button look="primary" off={off} onClick={() => open("review")}>
        Review and save…
      </Button>
    </div>
  );
}

function Steps({ work: { name, history } }: { readonly work: MateriaWork }): ReactElement {
  return (
    <>
      <Button
        look="bare"
        icon="undo"
        label="Undo"
        off={history.past.length === 0 ? "Nothing to undo" : null}
        onClick={() => undoMateria(name)}
      />
      <Button
        look="bare"
        icon="redo"
        label="Redo"
        off={history.future.length === 0 ? "Nothing to redo" : null}
        onClick={() => redoMateria(name)}
      />
    </>
  );
}

function Dialogs(props: {
  readonly open: Open;
  readonly work: MateriaWork;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}): ReactElement | null {
  const { open, work, catalog, onClose } = props;
  const { name, filed, history } = work;
  const { raw, text } = history.present;
  const taken = (each: string): boolean => catalog.materia.has(each);
  if (open === "review") {
    return (
      <ReviewDialog
        title={`Save ${name}`}
        action="Save"
        layer={work.layer ?? "project"}
        saving={{ section: "materia", name, text, filed, was: null }}
        problems={readMateriaDraft(name, history.present).issues}
        onClose={onClose}
        onSaved={(layer) => {
          savedMateria(name, layer);
          onClose();
          toast({ text: `${name} is saved.`, tone: "ok" });
        }}
      />
    );
  }
  if (open === "compare") {
    return <CompareDialog name={name} filed={filed} text={text} onClose={onClose} />;
  }
  if (open === "rehearse") return <Rehearse work={work} catalog={catalog} onClose={onClose} />;
  if (open !== "duplicate" && open !== "new") return null;
  const isNew = open === "new";
  return (
    <NameDialog
      title={isNew ? "New materia" : `Duplicate ${name}`}
      action={isNew ? "Create" : "Duplicate"}
      initial={freeName(isNew ? "My-Materia" : name, taken)}
      taken={taken}
      note="Nothing is written before you save."
      onClose={onClose}
      onName={(next) => {
        beginMateria(next, isNew ? { type: "agent", prompt: "Do what the request asks:\n{{request}}" } : raw);
        onClose();
        go(hrefOf("materia", next));
      }}
    />
  );
}

function CompareDialog(props: {
  readonly name: string;
  readonly filed: string | null;
  readonly text: string;
  readonly onClose: () => void;
}): ReactElement {
  const { name, filed, text, onClose } = props;
  const bundled = useBundled(name);
  const what = bundled === null ? "as saved" : "bundled";
  return (
    <Dialog title={`${name}: ${what} and now`} onClose={onClose} wide>
      <div className={css("dialog-body")}>
        <Diff before={bundled ?? filed ?? ""} after={text} label={`${name}, ${what} and now`} />
      </div>
    </Dialog>
  );
}

function Rehearse(props: {
  readonly work: MateriaWork;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}): ReactElement | null {
  const { work, catalog, onClose } = props;
  const { name } = work;
  const made = compile([{ kind: "materia", name }], catalog);
  if (!made.ok) return null;
  const warning = isChanged(work) ? "It has changes that are not saved. The saved one is rehearsed." : null;
  return (
    <RehearseDialog
      title={`Rehearse ${name}`}
      graph={made.value.graph}
      target={{ targets: [`materia:${name}`] }}
      warning={warning}
      onClose={onClose}
    />
  );
}
