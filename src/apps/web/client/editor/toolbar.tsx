import { DropdownMenu } from "radix-ui";
import type { ReactElement } from "react";
import { compareLoadouts } from "../../../../core/edit/compare.ts";
import { tidyLayout } from "../../../../core/edit/graph/sockets.ts";
import { Button } from "../parts/button.tsx";
import { useWidth } from "../shell/use-width.ts";
import { useEditor } from "./state/editor.ts";
import { isDirty } from "./state/works.ts";

export type EditorDialog =
  | "add"
  | "review"
  | "compare"
  | "import"
  | "duplicate"
  | "rename"
  | "delete"
  | "rehearse"
  | "new"
  | "palette"
  | "inspector"
  | "problems";

/** What can be done with the loadout as a whole. */
export function Toolbar(props: {
  readonly open: (dialog: EditorDialog) => void;
  readonly onLoop: () => void;
}): ReactElement {
  const { open, onLoop } = props;
  const { name, work, checked, loadout, readOnly, undo, redo, apply, catalog } = useEditor();
  const width = useWidth();
  const { past, future } = work.history;
  const layer = work.layer ?? catalog.loadouts.get(name)?.layer ?? "bundled";
  return (
    <div className="tools" role="toolbar" aria-label="Loadout">
      <h1 className="thing">{name}</h1>
      <span className="badge cap">{layer}</span>
      <Provenance />
      <span className="vr" />
      <Button
        look="bare"
        icon="undo"
        label={past.length > 0 ? `Undo: ${past.at(-1)?.did ?? ""}` : "Undo"}
        off={past.length === 0 ? "Nothing to undo" : null}
        onClick={undo}
      />
      <Button
        look="bare"
        icon="redo"
        label={future.length > 0 ? `Redo: ${future[0]?.did ?? ""}` : "Redo"}
        off={future.length === 0 ? "Nothing to redo" : null}
        onClick={redo}
      />
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
      <span className="grow" />
      <span className="sub worst">
        {checked.worst === null ? (
          "Worst case unknown"
        ) : (
          <>
            Worst case <b>{checked.worst.words}</b> turns
            {checked.worst.example === null ? "" : ` · ${checked.worst.example}`}
          </>
        )}
      </span>
      <span className="vr" />
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

function Provenance(): ReactElement | null {
  const { work, readOnly } = useEditor();
  if (readOnly !== null) return <span className="mute">read-only</span>;
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
  return parts.length === 0 ? null : <span className="mute">{parts.join(" · ")}</span>;
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
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon="more" label="Rename, duplicate, import, export, delete" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
          {width !== "large" && [
            item("Add a socket…", () => open("add"), readOnly),
            item("Loop from selection", onLoop, readOnly),
            item(
              "Tidy layout",
              () => apply("Tidy the layout", tidyLayout),
              Object.keys(loadout.layout).length === 0 ? "none" : readOnly,
            ),
            item("Compare…", () => open("compare")),
            item("Rehearse…", () => open("rehearse")),
          ]}
          {item("New loadout…", () => open("new"))}
          {item("Duplicate…", () => open("duplicate"))}
          {item("Rename…", () => open("rename"), readOnly)}
          {item("Import…", () => open("import"))}
          {item("Export", () => download(name, work.history.present.text))}
          {item("Delete…", () => open("delete"), readOnly)}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function item(label: string, act: () => void, off: string | null = null): ReactElement {
  return (
    <DropdownMenu.Item key={label} className="mitem" disabled={off !== null} onSelect={act}>
      {label}
    </DropdownMenu.Item>
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
