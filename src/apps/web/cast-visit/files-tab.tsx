import { useMemo, useRef, useState, type ReactElement } from "react";
import {
  castFileSpans,
  type CastFileSpans,
  fileCountsText,
  omittedFilesText,
  type CheckpointSpan,
} from "../../../core/view/file-changes.ts";
import type { PatchViewMode } from "../../../core/view/patch.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import type { ChangesResponse } from "../../../core/wire/casts.ts";
import { getChanges } from "../net/api.ts";
import { Button } from "../ui/buttons.tsx";
import { SegmentedControl } from "../ui/fields.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import type { VisitProps } from "./visit-panel.tsx";
import { useFetched } from "../data/use-fetched.ts";
import { FilePatchView, RefusedNote, ChangedFileList } from "./file-patch.tsx";
import { useStoredText } from "../browser/store.ts";
import { useNearView } from "./patch-rows.tsx";
import { bindSheets } from "../ui/classes.ts";
import filesSheet from "./files.module.css";

const css = bindSheets(filesSheet);

type FilesScope = "visit" | "item" | "cast";

/** [W25] The changed files of the visit, its item or the whole cast. */
export function FilesTab(props: VisitProps & { readonly usual: "visit" | "cast" }): ReactElement {
  const { cast, visit, usual } = props;
  const [wanted, setWanted] = useState<FilesScope | null>(null);
  const [stored, setForm] = useStoredText("materia-diff-form");
  const form: PatchViewMode = stored === "split" ? "split" : "unified";
  const spans = useFileSpans(cast);
  if (spans.kind === "none")
    return (
      <div className={css("files-note")} tabIndex={0} role="region" aria-label="Files">
        <p>{`This cast has no checkpoints of its files: ${spans.problem ?? "checkpoints were off, or an earlier version ran it"}.`}</p>
        <p className={css("secondary")}>A cast in a git repository with a commit keeps them.</p>
      </div>
    );
  const scope = wanted === "item" && !visit.item ? "visit" : (wanted ?? usual);
  return (
    <div className={css("files")}>
      <div className={css("files-head")}>
        <SegmentedControl<FilesScope>
          label="Scope of the files"
          value={scope}
          options={{ visit: "Visit", ...(visit.item ? { item: "Item" } : {}), cast: "Cast" }}
          onPick={setWanted}
        />
        <span className={css("grow")} />
        <SegmentedControl
          label="Diff view"
          value={form}
          options={{ unified: "Unified", split: "Side by side" }}
          onPick={setForm}
        />
      </div>
      <FileChanges {...props} spans={spans} scope={scope} form={form} onScope={setWanted} />
    </div>
  );
}

export function useFileSpans({ replay }: CastPanelProps["cast"]): CastFileSpans {
  const lastSeq = replay.lastSeq();
  return useMemo(() => castFileSpans(replay.events()), [replay, lastSeq]);
}

interface FileChangesProps extends VisitProps {
  readonly spans: CastFileSpans & { readonly kind: "kept" };
  readonly scope: FilesScope;
  readonly form: PatchViewMode;
  readonly onScope: (scope: FilesScope) => void;
}

function FileChanges(props: FileChangesProps): ReactElement {
  const { cast, visit, spans, scope, onScope } = props;
  const { castId } = cast.castFile;
  const place = scopeAddress(scope, visit);
  const { from, to } = fileSpanOf(spans, scope, visit);
  const isSame = from === to;
  const of = `${castId} ${place ?? ""}`;
  const asked = useFetched(isSame ? null : `${of} ${from} ${to}`, of, (signal) => getChanges(castId, place, signal));
  if (isSame)
    return (
      <div className={css("files-note")}>
        <p>{`This ${scope} changed no files${scope === "visit" && visit.to === null ? " so far" : ""}.`}</p>
        {scope !== "cast" && spans.whole.from !== spans.whole.to && (
          <Button onClick={() => onScope("cast")}>Show the files of the whole cast</Button>
        )}
      </div>
    );
  if (asked.kind === "loading") return <p className={css("files-note faint")}>Comparing…</p>;
  if (asked.kind === "refused") return <RefusedNote {...asked} />;
  return <ChangedFiles {...props} place={place} to={to} changes={asked.value} />;
}

/** [W25] All files in one scroll; the list beside it leads to each. */
function ChangedFiles(
  props: FileChangesProps & { readonly place: string | null; readonly to: string; readonly changes: ChangesResponse },
): ReactElement {
  const { view, changes, onScope } = props;
  const files = useMemo(() => changes.files.toSorted((a, b) => toolFileRank(a) - toolFileRank(b)), [changes]);
  const [chosen, setChosen] = useState<string | null>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const more = changes.changed - files.length;
  const choose = (path: string): void => {
    setChosen(path);
    const index = files.findIndex((file) => file.path === path);
    scroll.current?.children[index]?.scrollIntoView({ block: "start" });
  };
  return (
    <div className={css("files-body")}>
      <div className={css("files-side")}>
        <p className={css("secondary files-sum")}>
          {changes.changed === 0 ? "No change remains." : `${fileCountsText(changes)}${omittedFilesText(changes.left)}`}
        </p>
        <ChangedFileList files={files} chosen={chosen ?? files[0]?.path ?? null} onChoose={choose} />
        {more > 0 && <p className={css("faint files-sum")}>{`${more} more are not listed`}</p>}
      </div>
      <div className={css("all-patches")} ref={scroll} tabIndex={0} role="region" aria-label="Diffs">
        {files.map((file, index) => (
          <NearPatch key={file.path} isFirst={index < 2}>
            <FilePatchView
              {...props}
              file={file}
              onVisit={(visit) => {
                setChosen(file.path);
                onScope("visit");
                view.goToVisit(visit);
              }}
            />
          </NearPatch>
        ))}
      </div>
    </div>
  );
}

/** What the tool itself writes into a project comes after the work. */
function toolFileRank({ path }: { readonly path: string }): number {
  return path === ".gitignore" || path.startsWith(".pi/") ? 1 : 0;
}

function NearPatch(props: { readonly isFirst: boolean; readonly children: ReactElement }): ReactElement {
  const { isFirst, children } = props;
  const { place, isNear } = useNearView(isFirst);
  return (
    <div ref={place} className={css(isNear ? "" : "far-patch")}>
      {isNear && children}
    </div>
  );
}

/** [W50] The change of the whole cast, for a decision about it. */
export function CastFileChanges({ cast, view }: CastPanelProps): ReactElement | null {
  const spans = useFileSpans(cast);
  const visit = view.allVisits.at(-1);
  if (spans.kind === "none" || !visit) return null;
  return (
    <div className={css("files reviewed-files")}>
      <FileChanges cast={cast} view={view} visit={visit} spans={spans} scope="cast" form="unified" onScope={() => {}} />
    </div>
  );
}

/** Its name on the command line and in addresses; null for the whole cast. */
function scopeAddress(scope: FilesScope, { socket, visit, item }: TimelineVisit): string | null {
  if (scope === "visit") return `${socket}#${visit}`;
  return scope === "item" && item ? `${item.loop}/${item.key}` : null;
}

function fileSpanOf(
  spans: CastFileSpans & { readonly kind: "kept" },
  scope: FilesScope,
  visit: TimelineVisit,
): CheckpointSpan {
  const { whole, visits, items } = spans;
  // An item without a first event has changed nothing yet.
  const nothing = { from: whole.to, to: whole.to };
  if (scope === "visit")
    return visits.find((each) => each.socket === visit.socket && each.visit === visit.visit) ?? nothing;
  if (scope === "item")
    return items.find(({ loop, key }) => loop === visit.item?.loop && key === visit.item.key) ?? nothing;
  return whole;
}
