import type { ReactElement } from "react";
import { compareLoadouts } from "../../../../../core/edit/compare.ts";
import { resetLayout } from "../../../../../core/edit/graph/sockets.ts";
import { exportLoadout } from "./state/export-work.ts";
import { Button } from "../../parts/controls/button.tsx";
import { UndoRedoButtons } from "../../parts/controls/undo-redo.tsx";
import { Menu, type MenuItem } from "../../parts/controls/menu.tsx";
import { useScreenWidth } from "../../browser/use-width.ts";
import { useEditor } from "./state/editor.ts";
import type { EditorDialogName } from "./state/editor-dialog.ts";
import { revertLoadoutDraft, isDirty, undoLoadoutDraft, type OpenLoadoutDraft } from "./state/works.ts";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { activateLoadout } from "../../data/active-loadout.ts";
import { toast } from "../../parts/controls/toasts.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import workbenchSheet from "../../parts/controls/workbench.module.css";
import editorSheet from "./look/editor.module.css";

const css = bindClassNames(editorSheet, workbenchSheet, marksSheet, baseSheet);

/** What can be done with the loadout as a whole. */
export function EditorToolbar(props: {
  readonly open: (dialog: EditorDialogName) => void;
  readonly onLoop: () => void;
}): ReactElement {
  const { open, onLoop } = props;
  const { name, work, loadout, readOnly, apply, catalog } = useEditor();
  const width = useScreenWidth();
  const layer = work.layer ?? catalog.loadouts.get(name)?.layer ?? "bundled";
  return (
    <div className={css("toolbar")} role="toolbar" aria-label="Loadout">
      <h1 className={css("thing")}>{name}</h1>
      <span className={css("badge capital")}>{layer}</span>
      {catalog.settings.activeLoadout.value === name && (
        <span className={css("badge")} title="What cast runs when no loadout is named">
          Active
        </span>
      )}
      <DraftProvenance />
      <span className={css("divider")} />
      <UndoButtons />
      {width === "large" && (
        <>
          <Button look="bare" icon="loop" off={readOnly} onClick={onLoop}>
            Loop from selection
          </Button>
          <Button
            look="bare"
            off={readOnly ?? (Object.keys(loadout.layout).length === 0 ? "Nothing was placed by hand" : null)}
            onClick={() => apply("Tidy the layout", resetLayout)}
          >
            Tidy layout
          </Button>
        </>
      )}
      <span className={css("grow")} />
      <WorstCaseText />
      <span className={css("divider")} />
      {width === "large" && <Button onClick={() => open("compare")}>Compare…</Button>}
      {width === "large" && (
        <>
          <Button onClick={() => open("rehearse")}>Rehearse…</Button>
          <Button icon="play" onClick={() => open("cast")}>
            Cast…
          </Button>
        </>
      )}
      <MoreMenu open={open} onLoop={onLoop} />
      {readOnly === null ? (
        <Button look="primary" off={isDirty(work) ? null : "Nothing to save"} onClick={() => open("review")}>
          Review and save…
        </Button>
      ) : (
        <Button look="primary" onClick={() => open("duplicate")}>
          Duplicate to edit…
        </Button>
      )}
    </div>
  );
}

function UndoButtons(): ReactElement {
  const { work, undo, redo } = useEditor();
  return <UndoRedoButtons back={work.history.past.at(-1)} on={work.history.future[0]} onUndo={undo} onRedo={redo} />;
}

function WorstCaseText(): ReactElement {
  const { worst } = useEditor().checked;
  if (worst === null) return <span className={css("secondary worst-case")}>Worst case unknown</span>;
  return (
    <span className={css("secondary worst-case")}>
      Worst case <b>{worst.words}</b> {worst.words === "1" ? "turn" : "turns"}
      {worst.example === null ? "" : ` · ${worst.example}`}
    </span>
  );
}

function DraftProvenance(): ReactElement | null {
  const { work, readOnly } = useEditor();
  if (readOnly !== null) return <span className={css("faint")}>read-only</span>;
  const count = compareLoadouts(work.base.loadout, work.history.present.loadout).length;
  const parts = [
    ...(work.from === null ? [] : [`from ${work.from}`]),
    ...(work.was === null ? [] : [`was ${work.was}`]),
    ...(work.filed === null ? ["not saved yet"] : []),
    ...(count > 0
      ? [`${count} ${count === 1 ? "change" : "changes"}`]
      : isDirty(work) && work.filed !== null
        ? ["changed"]
        : []),
  ];
  return parts.length === 0 ? null : <span className={css("faint")}>{parts.join(" · ")}</span>;
}

function MoreMenu({
  open,
  onLoop,
}: {
  readonly open: (dialog: EditorDialogName) => void;
  readonly onLoop: () => void;
}): ReactElement {
  const { name, work, loadout, readOnly, apply, catalog } = useEditor();
  const width = useScreenWidth();
  const discard = (): void => {
    revertLoadoutDraft(name);
    toast({ text: `${name} is as it is in its file.`, action: { label: "Undo", act: () => undoLoadoutDraft(name) } });
  };
  const narrow: readonly MenuItem[] = [
    { label: "Add a socket…", act: () => open("add"), off: readOnly },
    { label: "Loop from selection", act: onLoop, off: readOnly },
    {
      label: "Tidy layout",
      act: () => apply("Tidy the layout", resetLayout),
      off: Object.keys(loadout.layout).length === 0 ? "Nothing was placed by hand" : readOnly,
    },
    { label: "Compare…", act: () => open("compare") },
    { label: "Rehearse…", act: () => open("rehearse") },
    { label: "Cast…", act: () => open("cast") },
  ];
  return (
    <Menu
      icon="more"
      label="Rename, duplicate, import, export, delete"
      items={[
        ...(width === "large" ? [] : narrow),
        { label: "Make active", act: () => void activateLoadout(name), off: whyNotActivatable(catalog, name) },
        { label: "Discard changes", act: discard, off: whyNotRevertible(work) },
        { label: "New loadout…", act: () => open("new") },
        { label: "Duplicate…", act: () => open("duplicate") },
        { label: "Rename…", act: () => open("rename"), off: readOnly },
        { label: "Import…", act: () => open("import") },
        { label: "Export", act: () => void exportLoadout(work, catalog) },
        { label: "Delete…", act: () => open("delete"), off: readOnly },
      ]}
    />
  );
}

/** Why it cannot be what cast runs. */
function whyNotActivatable(catalog: Catalog, name: string): string | null {
  if (catalog.settings.activeLoadout.value === name) return "It is already";
  return catalog.loadouts.has(name) ? null : "It is not saved yet";
}

function whyNotRevertible(work: OpenLoadoutDraft): string | null {
  if (work.filed === null) return "No file has it yet";
  return isDirty(work) ? null : "Nothing has changed";
}
