import { useEffect, useMemo, type ReactElement, useRef, useState, type RefObject } from "react";
import { useCatalog } from "../data/use-catalog.ts";
import { navigate, hrefOf, type PageProps } from "../browser/route.ts";
import {
  EditorProvider,
  useEditorState,
  useEditor,
  type OpenLoadoutDraft,
  loadoutDrafts,
  graphPartOf,
  type LoadoutProblem,
} from "../loadout-editor/editor.ts";
import { useEntryDraft } from "../data/entry-drafts.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { catalogWithMateria } from "../../../core/edit/loadout-draft.ts";
import { bindSheets } from "../ui/classes.ts";
import type { GraphHandle } from "../graph/viewport.tsx";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { useScreenWidth } from "../browser/display.ts";
import { useFirstView } from "../browser/first-view.ts";
import { FileConflictBar } from "../dialogs/file-conflict.tsx";
import { EditorCanvas } from "./editor-canvas.tsx";
import type { PendingConnection } from "../loadout-editor/use-canvas.ts";
import { getHandedDraft } from "../net/api.ts";
import { importDraft } from "../dialogs/describe-dialog.tsx";
import { importLoadout } from "./loadout-dialogs.tsx";
import { EditorDialogs, type EditorDialogName } from "./editor-dialogs.tsx";
import { Inspector } from "./inspector.tsx";
import { ProblemsPanel, type ProblemsPanelTab } from "./problems-panel.tsx";
import { LoadoutList, MateriaPalette } from "./loadouts-and-palette.tsx";
import { RehearsalPlayer } from "./rehearsal-player.tsx";
import { useEditorKeys } from "../loadout-editor/use-editor-keys.ts";
import { EditorToolbar } from "./editor-toolbar.tsx";
import editorSheet from "./editor.module.css";

const css = bindSheets(editorSheet);

export default function LoadoutsPage({ name, search }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const draft = useEntryDraft(loadoutDrafts, name, catalog);
  useFirstView(draft !== null);
  const isHanded = search.has("draft");
  useEffect(() => {
    if (isHanded && catalog) void openHandedDraft(catalog);
  }, [isHanded, catalog]);
  useEffect(() => {
    if (isHanded) return;
    // Without a name open the active loadout: most people look for it.
    const active = catalog?.settings.activeLoadout.value ?? "";
    const first = catalog?.loadouts.has(active) ? active : catalog?.loadouts.keys().next().value;
    if (name === null && first !== undefined) navigate(hrefOf("loadouts", first));
  }, [name, catalog, isHanded]);
  if (!catalog)
    return (
      <div className={css("blank")}>
        <IssueList issues={issues} />
      </div>
    );
  if (draft) return <LoadoutEditor draft={draft} catalog={catalog} />;
  if (name === null || catalog.loadouts.has(name)) return <div className={css("blank")} />;
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

/** [YD11] A draft from Pi, as unsaved changes. The address then names it, so that a reload opens it once. */
async function openHandedDraft(catalog: Catalog): Promise<void> {
  const handed = await getHandedDraft();
  const { loadouts, materia } = handed.ok && handed.value ? importDraft(handed.value) : { loadouts: [], materia: [] };
  const taken = (each: string): boolean => catalog.loadouts.has(each) || loadoutDrafts.get().has(each);
  const [name] = loadouts.map((each) => importLoadout(each, materia, { catalog, taken }));
  location.replace(hrefOf("loadouts", name));
}

function LoadoutEditor({ draft, catalog }: { draft: OpenLoadoutDraft; catalog: Catalog }): ReactElement {
  const all = useMemo(() => catalogWithMateria(catalog, draft.brings), [catalog, draft.brings]);
  const editor = useEditorState(draft, all);
  return (
    <EditorProvider value={editor}>
      <EditorView />
    </EditorProvider>
  );
}

/** Palette, canvas, inspector and problems, arranged for the width. */
function EditorView(): ReactElement {
  const editor = useEditor();
  const { draft, name } = editor;
  const width = useScreenWidth();
  const handle = useRef<GraphHandle>(null);
  const awaited = useRef<string | null>(null);
  const [dialog, setDialog] = useState<EditorDialogName | null>(null);
  const [tab, setTab] = useState<ProblemsPanelTab>("problems");
  const [connecting, setConnecting] = useState<PendingConnection | null>(null);
  const [rehearsal, setRehearsal] = useState<string | null>(null);
  const close = (): void => setDialog(null);
  const focusSoon = (id: string): void => {
    if (dialog === "palette") close();
    awaited.current = id;
    handle.current?.focus(id);
  };
  const { show, nextProblem } = useProblemNavigation(handle, () => (dialog === "problems" ? close() : undefined));
  const boxOf = (id: string) => handle.current?.boxOf(id);
  useEditorKeys(editor, { boxOf, open: setDialog, setConnecting, nextProblem, focusWhenDrawn: focusSoon });
  const palette = <LoadoutsAndPalette open={setDialog} onAdded={focusSoon} />;
  const problems = <ProblemsPanel tab={tab} setTab={setTab} onShow={show} />;
  return (
    <div className={css("editor-grid")}>
      <div className={css("editor-head")}>
        <EditorToolbar open={setDialog} />
        {draft.isOutdated && <FileConflictBar name={name} onCompare={() => setDialog("review")} />}
      </div>
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
          {width !== "small" && <Inspector />}
        </>
      )}
      {width !== "small" && problems}
      {width !== "large" && <PanelBar open={setDialog} />}
      <PanelSheet dialog={dialog} onClose={close} palette={palette} problems={problems} />
      <EditorDialogs dialog={dialog} onClose={close} onAdded={focusSoon} onRehearsed={setRehearsal} />
    </div>
  );
}

function LoadoutsAndPalette(props: {
  readonly open: (dialog: EditorDialogName) => void;
  readonly onAdded: (id: string) => void;
}): ReactElement {
  return (
    <>
      <LoadoutList open={props.open} />
      <div className={css("separator")} />
      <MateriaPalette onAdded={props.onAdded} />
    </>
  );
}

function useProblemNavigation(handle: RefObject<GraphHandle | null>, onShown: () => void) {
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

function PanelSheet(props: {
  readonly dialog: EditorDialogName | null;
  readonly onClose: () => void;
  readonly palette: ReactElement;
  readonly problems: ReactElement;
}): ReactElement | null {
  const { dialog, onClose, palette, problems } = props;
  const width = useScreenWidth();
  if (dialog !== "palette" && dialog !== "inspector" && dialog !== "problems") return null;
  const sheets = {
    palette: { title: "Loadouts and palette", panel: <div className={css("side-panel")}>{palette}</div> },
    inspector: { title: "Inspector", panel: <Inspector /> },
    problems: { title: "Problems", panel: problems },
  };
  const { title, panel } = sheets[dialog];
  const look = dialog === "palette" && width !== "small" ? "drawer" : "sheet";
  return (
    <Dialog title={title} onClose={onClose} className={css(look)}>
      {panel}
    </Dialog>
  );
}

function PanelBar({ open }: { readonly open: (dialog: EditorDialogName) => void }): ReactElement {
  const { readOnly, selected, checked } = useEditor();
  return (
    <div className={css("sheet-bar")} role="toolbar" aria-label="Panels">
      <Button onClick={() => open("palette")}>Loadouts</Button>
      <Button icon="plus" off={readOnly} onClick={() => open("add")}>
        Add
      </Button>
      {useScreenWidth() === "small" && (
        <>
          <Button off={selected.length === 0 ? "Choose a socket first" : null} onClick={() => open("inspector")}>
            Inspect
          </Button>
          <Button onClick={() => open("problems")}>{`Problems ${checked.problems.length}`}</Button>
        </>
      )}
    </div>
  );
}
