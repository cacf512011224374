import type { ReactElement } from "react";
import { compareLoadouts } from "../../../../../core/edit/compare.ts";
import { tidyLayout } from "../../../../../core/edit/graph/sockets.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Menu } from "../../parts/controls/menu.tsx";
import type { MenuItem } from "../../parts/controls/menu.tsx";
import { useWidth } from "../../browser/use-width.ts";
import { useEditor } from "./state/editor.ts";
import type { EditorDialog } from "./state/editor-dialog.ts";
import { isDirty } from "./state/works.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import workbenchSheet from "../../parts/controls/workbench.module.css";
import editorSheet from "./look/editor.module.css";

const css = classesOf(editorSheet, workbenchSheet, marksSheet, baseSheet);

/** What can be done with the loadout as a whole. */
export function Toolbar(props: {
  readonly open: (dialog: EditorDialog) => void;
  readonly onLoop: () => void;
}): ReactElement {
  const { open, onLoop } = props;
  const { name, work, loadout, readOnly, apply, catalog } = useEditor();
  const width = useWidth();
  const layer = work.layer ?? catalog.loadouts.get(name)?.layer ?? "bundled";
  return (
    <div className={css("toolbar")} role="toolbar" aria-label="Loadout">
      <h1 className={css("thing")}>{name}</h1>
      <span className={css("badge capital")}>{layer}</span>
      <Provenance />
      <span className={css("divider")} />
      <Steps />
      {width === "large" && (
        <>
          <Button look="bare" icon="loop" off={readOnly} onClick={onLoop}>
            Loop from selection
          </Button>
          <Button
            look="bare"
            off={readOnly ?? (Object.keys(loadout.layout).length === 0 ? "Nothing was placed by hand" : null)}
            onClick={() => apply("Tidy the layout", tidyLayout)}
          >
            Tidy layout
          </Button>
        </>
      )}
      <span className={css("grow")} />
      <Worst />
      <span className={css("divider")} />
      {width === "large" && <Button onClick={() => open("compare")}>Compare…</Button>}
      {width === "large" && (
        <Button icon="play" onClick={() => open("rehearse")}>
          Rehearse…
        </Button>
      )}
      <More open={open} onLoop={onLoop} />
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

function Steps(): ReactElement {
  const { work, undo, redo } = useEditor();
  const [back, on] = [work.history.past.at(-1), work.history.future[0]];
  return (
    <>
      <Button
        look="bare"
        icon="undo"
        label={back ? `Undo: ${back.what}` : "Undo"}
        off={back ? null : "Nothing to undo"}
        onClick={undo}
      />
      <Button
        look="bare"
        icon="redo"
        label={on ? `Redo: ${on.what}` : "Redo"}
        off={on ? null : "Nothing to redo"}
        onClick={redo}
      />
    </>
  );
}

function Worst(): ReactElement {
  const { worst } = useEditor().checked;
  if (worst === null) return <span className={css("secondary worst-case")}>Worst case unknown</span>;
  return (
    <span className={css("secondary worst-case")}>
      Worst case <b>{worst.words}</b> turns{worst.example === null ? "" : ` · ${worst.example}`}
    </span>
  );
}

function Provenance(): ReactElement | null {
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

function More({
  open,
  onLoop,
}: {
  readonly open: (dialog: EditorDialog) => void;
  readonly onLoop: () => void;
}): ReactElement {
  const { name, work, loadout, readOnly, apply } = useEditor();
  const width = useWidth();
  const narrow: readonly MenuItem[] = [
    { label: "Add a socket…", act: () => open("add"), off: readOnly },
    { label: "Loop from selection", act: onLoop, off: readOnly },
    {
      label: "Tidy layout",
      act: () => apply("Tidy the layout", tidyLayout),
      off: Object.keys(loadout.layout).length === 0 ? "Nothing was placed by hand" : readOnly,
    },
    { label: "Compare…", act: () => open("compare") },
    { label: "Rehearse…", act: () => open("rehearse") },
  ];
  return (
    <Menu
      icon="more"
      label="Rename, duplicate, import, export, delete"
      items={[
        ...(width === "large" ? [] : narrow),
        { label: "New loadout…", act: () => open("new") },
        { label: "Duplicate…", act: () => open("duplicate") },
        { label: "Rename…", act: () => open("rename"), off: readOnly },
        { label: "Import…", act: () => open("import") },
        { label: "Export", act: () => download(name, work.history.present.text) },
        { label: "Delete…", act: () => open("delete"), off: readOnly },
      ]}
    />
  );
}

/** A configuration file with this one loadout, as it is in hand. */
function download(name: string, text: string): void {
  const indented = text.replaceAll("\n", "\n    ");
  const file = `{\n  "loadouts": {\n    ${JSON.stringify(name)}: ${indented}\n  }\n}\n`;
  const url = URL.createObjectURL(new Blob([file], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replaceAll(/[^\w.-]+/g, "-")}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
