import { useRef, useState, type ReactElement, type ReactNode, type RefObject } from "react";
import type { GraphHandle } from "../../graph/frame/use-handle.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { useWidth } from "../../browser/use-width.ts";
import { OutdatedBar } from "../../dialogs/save/outdated-bar.tsx";
import { Canvas } from "./canvas.tsx";
import type { Connecting } from "./state/use-canvas.ts";
import { EditorDialogs } from "./dialogs/dialogs.tsx";
import { Inspector } from "./inspect/inspector.tsx";
import { Bottom, type BottomTab } from "./parts/bottom.tsx";
import { LoadoutList } from "./parts/loadout-list.tsx";
import { MateriaPalette } from "./parts/palette.tsx";
import { PlayedOnCanvas } from "./play/played.tsx";
import { partOf } from "./state/part-of.ts";
import { useEditor } from "./state/editor.ts";
import { loopFrom, socketsIn, useEditorKeys } from "./state/use-editor-keys.ts";
import type { Problem } from "./state/use-checked.ts";
import { Toolbar } from "./toolbar.tsx";
import type { EditorDialog } from "./state/editor-dialog.ts";
import { classesOf } from "../../browser/classes.ts";
import workbenchSheet from "../../parts/controls/workbench.module.css";
import editorSheet from "./look/editor.module.css";

const css = classesOf(editorSheet, workbenchSheet);

/** Palette, canvas, inspector and problems, arranged for the width there is. */
export function EditorView(): ReactElement {
  const editor = useEditor();
  const { checked } = editor;
  const width = useWidth();
  const handle = useRef<GraphHandle>(null);
  const awaited = useRef<string | null>(null);
  const [dialog, setDialog] = useState<EditorDialog | null>(null);
  const [tab, setTab] = useState<BottomTab>("problems");
  const [connecting, setConnecting] = useState<Connecting | null>(null);
  const [rehearsal, setRehearsal] = useState<string | null>(null);
  const close = (): void => setDialog(null);
  const focusSoon = (id: string): void => {
    awaited.current = id;
    handle.current?.focus(id);
  };
  const { show, nextProblem } = useProblems(handle, () => (dialog === "problems" ? close() : undefined));
  const onLoop = (): void => loopFrom(editor, socketsIn(editor.selected));
  const boxOf = (id: string) => handle.current?.boxOf(id);
  useEditorKeys(editor, { boxOf, open: setDialog, setConnecting, nextProblem, await: focusSoon });
  const added = (id: string): void => {
    if (dialog === "palette") close();
    focusSoon(id);
  };
  const palette = <LeftPanel onNew={() => setDialog("new")} onAdded={added} />;
  return (
    <div className={css("editor-grid")}>
      <Head open={setDialog} onLoop={onLoop} />
      {width === "large" && (
        <aside className={css("side-panel")} aria-label="Loadouts and palette">
          {palette}
        </aside>
      )}
      {rehearsal !== null ? (
        <PlayedOnCanvas castId={rehearsal} handle={handle} onClose={() => setRehearsal(null)} />
      ) : (
        <>
          <Canvas
            handle={handle}
            connecting={connecting}
            setConnecting={setConnecting}
            onOpen={() => (width === "small" ? setDialog("inspector") : undefined)}
            onAdd={() => setDialog("add")}
            awaited={awaited}
          />
          {width !== "small" && <Beside onLoop={onLoop} />}
        </>
      )}
      {width !== "small" && <Bottom tab={tab} setTab={setTab} onShow={show} />}
      {width !== "large" && <SheetBar open={setDialog} problems={checked.problems.length} width={width} />}
      <Sheets dialog={dialog} onClose={close} palette={palette}>
        {dialog === "problems" ? <Bottom tab={tab} setTab={setTab} onShow={show} /> : <Beside onLoop={onLoop} />}
      </Sheets>
      <EditorDialogs dialog={dialog} onClose={close} onAdded={focusSoon} onRehearsed={setRehearsal} />
    </div>
  );
}

function Beside({ onLoop }: { readonly onLoop: () => void }): ReactElement {
  return (
    <aside className={css("inspector")} aria-label="Inspector">
      <Inspector onLoop={onLoop} />
    </aside>
  );
}

function Head({ open, onLoop }: Parameters<typeof Toolbar>[0]): ReactElement {
  const { work, name } = useEditor();
  return (
    <div className={css("editor-head")}>
      <Toolbar open={open} onLoop={onLoop} />
      {work.isOutdated && <OutdatedBar name={name} onCompare={() => open("review")} />}
    </div>
  );
}

function LeftPanel(props: { readonly onNew: () => void; readonly onAdded: (id: string) => void }): ReactElement {
  const { catalog, name } = useEditor();
  return (
    <>
      <LoadoutList catalog={catalog} chosen={name} onNew={props.onNew} />
      <div className={css("separator")} />
      <MateriaPalette onAdded={props.onAdded} />
    </>
  );
}

/** Goes to a problem, and from one to the next. */
function useProblems(
  handle: RefObject<GraphHandle | null>,
  onShown: () => void,
): { readonly show: (problem: Problem) => void; readonly nextProblem: () => void } {
  const { checked, select } = useEditor();
  const last = useRef(-1);
  const show = (problem: Problem): void => {
    const part = partOf(problem);
    if (!part) return;
    select(part);
    onShown();
    handle.current?.center(part.id);
    handle.current?.focus(part.id);
  };
  const nextProblem = (): void => {
    const places = checked.problems.filter(partOf);
    last.current = (last.current + 1) % Math.max(1, places.length);
    const problem = places[last.current];
    if (problem) show(problem);
  };
  return { show, nextProblem };
}

/** The panels that have no place of their own at this width. */
function Sheets(props: {
  readonly dialog: EditorDialog | null;
  readonly onClose: () => void;
  readonly palette: ReactNode;
  readonly children: ReactNode;
}): ReactElement | null {
  const { dialog, onClose, palette, children } = props;
  const width = useWidth();
  if (dialog === "palette") {
    return (
      <Dialog title="Loadouts and palette" onClose={onClose} className={css(width === "small" ? "sheet" : "drawer")}>
        <div className={css("side-panel")}>{palette}</div>
      </Dialog>
    );
  }
  if (dialog !== "inspector" && dialog !== "problems") return null;
  return (
    <Dialog title={dialog === "problems" ? "Problems" : "Inspector"} onClose={onClose} className={css("sheet")}>
      {children}
    </Dialog>
  );
}

/** What does not fit beside the canvas. */
function SheetBar(props: {
  readonly open: (dialog: EditorDialog) => void;
  readonly problems: number;
  readonly width: "small" | "medium";
}): ReactElement {
  const { open, problems, width } = props;
  const { readOnly, selected } = useEditor();
  return (
    <div className={css("sheet-bar")} role="toolbar" aria-label="Panels">
      <Button onClick={() => open("palette")}>Loadouts</Button>
      <Button icon="plus" off={readOnly} onClick={() => open("add")}>
        Add
      </Button>
      {width === "small" && (
        <>
          <Button off={selected.length === 0 ? "Choose a socket first" : null} onClick={() => open("inspector")}>
            Inspect
          </Button>
          <Button onClick={() => open("problems")}>{`Problems ${problems}`}</Button>
        </>
      )}
    </div>
  );
}
