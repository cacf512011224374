import { useEffect, useMemo, type ReactElement, useRef, useState, type ReactNode, type RefObject } from "react";
import { useCatalog } from "../data/use-catalog.ts";
import { navigate, hrefOf, type PageProps } from "../browser/route.ts";
import {
  EditorProvider,
  useEditorState,
  useEditor,
  type OpenLoadoutDraft,
  loadoutDrafts,
} from "../loadout-editor/editor.ts";
import { useEntryDraft } from "../data/entry-drafts.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { catalogWithMateria } from "../../../core/edit/loadout-draft.ts";
import { bindSheets } from "../ui/classes.ts";
import type { GraphHandle } from "../graph/viewport.tsx";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useScreenWidth } from "../browser/display.ts";
import { FileConflictBar } from "../dialogs/file-conflict.tsx";
import { EditorCanvas } from "./editor-canvas.tsx";
import type { PendingConnection } from "../loadout-editor/use-canvas.ts";
import { EditorDialogs, type EditorDialogName } from "./editor-dialogs.tsx";
import { Inspector } from "./inspector.tsx";
import { ProblemsPanel, type ProblemsPanelTab } from "./problems-panel.tsx";
import { LoadoutList, MateriaPalette } from "./loadouts-and-palette.tsx";
import { RehearsalPlayer } from "./rehearsal-player.tsx";
import { graphPartOf, type LoadoutProblem } from "../loadout-editor/check-draft.ts";
import { makeLoopFrom, socketIdsIn, useEditorKeys } from "../loadout-editor/use-editor-keys.ts";
import { EditorToolbar } from "./editor-toolbar.tsx";
import editorSheet from "./editor.module.css";

const css = bindSheets(editorSheet);

export default function LoadoutsPage({ name }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const draft = useEntryDraft(loadoutDrafts, name, catalog);
  useEffect(() => {
    // Without a name open the active loadout: most people look for it.
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
  if (!draft)
    return name === null || catalog.loadouts.has(name) ? (
      <div className={css("blank")} />
    ) : (
      <LoadoutNotFound name={name} />
    );
  return <LoadoutEditor draft={draft} catalog={catalog} />;
}

function LoadoutEditor(props: { readonly draft: OpenLoadoutDraft; readonly catalog: Catalog }): ReactElement {
  const { draft, catalog } = props;
  const all = useMemo(() => catalogWithMateria(catalog, draft.brings), [catalog, draft.brings]);
  const editor = useEditorState(draft, all);
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

/** Palette, canvas, inspector and problems, arranged for the width. */
function EditorView(): ReactElement {
  const editor = useEditor();
  const { checked } = editor;
  const width = useScreenWidth();
  const handle = useRef<GraphHandle>(null);
  const awaited = useRef<string | null>(null);
  const [dialog, setDialog] = useState<EditorDialogName | null>(null);
  const [tab, setTab] = useState<ProblemsPanelTab>("problems");
  const [connecting, setConnecting] = useState<PendingConnection | null>(null);
  const [rehearsal, setRehearsal] = useState<string | null>(null);
  const close = (): void => setDialog(null);
  const focusSoon = (id: string): void => {
    awaited.current = id;
    handle.current?.focus(id);
  };
  const { show, nextProblem } = useProblemNavigation(handle, () => (dialog === "problems" ? close() : undefined));
  const onLoop = (): void => makeLoopFrom(editor, socketIdsIn(editor.selected));
  const boxOf = (id: string) => handle.current?.boxOf(id);
  useEditorKeys(editor, { boxOf, open: setDialog, setConnecting, nextProblem, focusWhenDrawn: focusSoon });
  const added = (id: string): void => {
    if (dialog === "palette") close();
    focusSoon(id);
  };
  const palette = <LoadoutsAndPalette open={setDialog} onAdded={added} />;
  return (
    <div className={css("editor-grid")}>
      <EditorHead open={setDialog} onLoop={onLoop} />
      {width === "large" && (
        <aside className={css("side-panel")} aria-label="Loadouts and palette">
          {palette}
        </aside>
      )}
      {rehearsal !== null ? (
        <RehearsalPlayer castId={rehearsal} handle={handle} onClose={() => setRehearsal(null)} />
      ) : (
        <>
          <EditorCanvas
            handle={handle}
            connecting={connecting}
            setConnecting={setConnecting}
            onOpen={() => (width === "small" ? setDialog("inspector") : undefined)}
            onAdd={() => setDialog("add")}
            pendingFocus={awaited}
          />
          {width !== "small" && <InspectorPanel onLoop={onLoop} />}
        </>
      )}
      {width !== "small" && <ProblemsPanel tab={tab} setTab={setTab} onShow={show} />}
      {width !== "large" && <PanelBar open={setDialog} problems={checked.problems.length} width={width} />}
      <PanelSheets dialog={dialog} onClose={close} palette={palette}>
        {dialog === "problems" ? (
          <ProblemsPanel tab={tab} setTab={setTab} onShow={show} />
        ) : (
          <InspectorPanel onLoop={onLoop} />
        )}
      </PanelSheets>
      <EditorDialogs dialog={dialog} onClose={close} onAdded={focusSoon} onRehearsed={setRehearsal} />
    </div>
  );
}

function InspectorPanel({ onLoop }: { readonly onLoop: () => void }): ReactElement {
  return (
    <aside className={css("inspector")} aria-label="Inspector">
      <Inspector onLoop={onLoop} />
    </aside>
  );
}

function EditorHead({ open, onLoop }: Parameters<typeof EditorToolbar>[0]): ReactElement {
  const { draft, name } = useEditor();
  return (
    <div className={css("editor-head")}>
      <EditorToolbar open={open} onLoop={onLoop} />
      {draft.isOutdated && <FileConflictBar name={name} onCompare={() => open("review")} />}
    </div>
  );
}

function LoadoutsAndPalette(props: {
  readonly open: (dialog: EditorDialogName) => void;
  readonly onAdded: (id: string) => void;
}): ReactElement {
  const { catalog, name } = useEditor();
  return (
    <>
      <LoadoutList catalog={catalog} chosen={name} open={props.open} />
      <div className={css("separator")} />
      <MateriaPalette onAdded={props.onAdded} />
    </>
  );
}

/** Selects a problem, and steps to the next. */
function useProblemNavigation(
  handle: RefObject<GraphHandle | null>,
  onShown: () => void,
): { readonly show: (problem: LoadoutProblem) => void; readonly nextProblem: () => void } {
  const { checked, select } = useEditor();
  const last = useRef(-1);
  const show = (problem: LoadoutProblem): void => {
    const part = graphPartOf(problem);
    if (!part) return;
    select(part);
    onShown();
    handle.current?.center(part.id);
    handle.current?.focus(part.id);
  };
  const nextProblem = (): void => {
    const places = checked.problems.filter(graphPartOf);
    last.current = (last.current + 1) % Math.max(1, places.length);
    const problem = places[last.current];
    if (problem) show(problem);
  };
  return { show, nextProblem };
}

/** The panels that do not fit at this width. */
function PanelSheets(props: {
  readonly dialog: EditorDialogName | null;
  readonly onClose: () => void;
  readonly palette: ReactNode;
  readonly children: ReactNode;
}): ReactElement | null {
  const { dialog, onClose, palette, children } = props;
  const width = useScreenWidth();
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

/** The panel that does not fit beside the canvas. */
function PanelBar(props: {
  readonly open: (dialog: EditorDialogName) => void;
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
