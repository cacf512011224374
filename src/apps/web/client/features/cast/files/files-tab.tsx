import { useMemo, useState, type ReactElement } from "react";
import { fileSpans, type CastSpans } from "../../../../../../core/view/file-spans.ts";
import type { PatchForm } from "../../../../../../core/view/patch/rows.ts";
import { fileCountsText, leftText } from "../../../../../../core/view/tell/files.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { ChangesAnswer } from "../../../../../../core/wire/changes.ts";
import { getChanges } from "../../../net/api.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Segments } from "../../../parts/controls/fields.tsx";
import { Issues } from "../../../parts/marks/issues.tsx";
import type { CastPartProps } from "../state/use-cast-view.ts";
import { FileList } from "./file-list.tsx";
import { FilePatchView } from "./patch-view.tsx";
import { placeIn, spanIn, type FilesScope } from "./scope.ts";
import { useAnswer } from "./use-answer.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import filesSheet from "./files.module.css";

const css = classesOf(filesSheet, baseSheet);

interface FilesProps extends CastPartProps {
  readonly visit: VisitRecord;
}

const SCOPES = [
  { value: "visit", label: "Visit" },
  { value: "item", label: "Item" },
  { value: "cast", label: "Cast" },
] as const;

/** [W25] What the visit, its item or the whole cast changed. */
export function FilesTab(props: FilesProps): ReactElement {
  const { cast, visit } = props;
  const [wanted, setWanted] = useState<FilesScope>("visit");
  const [form, setForm] = useForm();
  const lastSeq = cast.replay.lastSeq();
  const spans = useMemo(() => fileSpans(cast.replay.events()), [cast.replay, lastSeq]);
  if (spans.kind === "none") return <NotKept spans={spans} />;
  const scope = wanted === "item" && !visit.item ? "visit" : wanted;
  return (
    <div className={css("files")}>
      <div className={css("files-head")}>
        <Segments
          label="Whose files"
          value={scope}
          options={SCOPES.filter(({ value }) => value !== "item" || visit.item !== null)}
          onPick={setWanted}
        />
        <span className={css("grow")} />
        <Segments
          label="How a diff is drawn"
          value={form}
          options={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Side by side" },
          ]}
          onPick={setForm}
        />
      </div>
      <Changes {...props} spans={spans} scope={scope} form={form} onScope={setWanted} />
    </div>
  );
}

function NotKept({ spans }: { readonly spans: CastSpans & { readonly kind: "none" } }): ReactElement {
  const why = spans.problem ?? "checkpoints were turned off, or an earlier version ran it";
  return (
    <div className={css("files-note")} tabIndex={0} role="region" aria-label="Files">
      <p>{`The files of this cast were not kept: ${why}.`}</p>
      <p className={css("secondary")}>A cast in a git repository with a commit keeps them.</p>
    </div>
  );
}

interface ChangesProps extends FilesProps {
  readonly spans: CastSpans & { readonly kind: "kept" };
  readonly scope: FilesScope;
  readonly form: PatchForm;
  readonly onScope: (scope: FilesScope) => void;
}

function Changes(props: ChangesProps): ReactElement {
  const { cast, visit, spans, scope, onScope } = props;
  const { castId } = cast.castFile;
  const place = placeIn(scope, visit);
  const { from, to } = spanIn(spans, scope, visit);
  const isSame = from === to;
  const of = `${castId} ${place ?? ""}`;
  const asked = useAnswer(isSame ? null : `${of} ${from} ${to}`, of, (signal) => getChanges(castId, place, signal));
  if (isSame)
    return (
      <div className={css("files-note")}>
        <p>{`This ${scope} changed no files${scope === "visit" && visit.to === null ? " so far" : ""}.`}</p>
        {scope !== "cast" && spans.whole.from !== spans.whole.to && (
          <Button onClick={() => onScope("cast")}>Files of the whole cast</Button>
        )}
      </div>
    );
  if (asked.kind === "loading") return <p className={css("files-note faint")}>Comparing…</p>;
  if (asked.kind === "refused")
    return (
      <div className={css("files-note")}>
        <Issues issues={asked.issues} />
        <Button onClick={asked.again}>Try again</Button>
      </div>
    );
  return <ChangedFiles {...props} place={place} to={to} changes={asked.value} />;
}

function ChangedFiles(
  props: ChangesProps & { readonly place: string | null; readonly to: string; readonly changes: ChangesAnswer },
): ReactElement {
  const { cast, view, place, to, changes, form, onScope } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const file = changes.files.find(({ path }) => path === chosen) ?? changes.files[0];
  const more = changes.changed - changes.files.length;
  return (
    <div className={css("files-body")}>
      <div className={css("files-side")}>
        <p className={css("secondary files-sum")}>
          {changes.changed === 0
            ? "Changed back to what it was."
            : `${fileCountsText(changes)}${leftText(changes.left)}`}
        </p>
        <FileList files={changes.files} chosen={file?.path ?? null} onChoose={setChosen} />
        {more > 0 && <p className={css("faint files-sum")}>{`${more} more are not listed`}</p>}
      </div>
      {file && (
        <FilePatchView
          cast={cast}
          view={view}
          file={file}
          place={place}
          to={to}
          form={form}
          onVisit={(index) => {
            setChosen(file.path);
            onScope("visit");
            view.goToVisit(index);
          }}
        />
      )}
    </div>
  );
}

const FORM = "materia-diff-form";

/** Remembered by the browser. */
function useForm(): readonly [PatchForm, (form: PatchForm) => void] {
  const [form, setForm] = useState<PatchForm>(() => (localStorage.getItem(FORM) === "split" ? "split" : "unified"));
  return [
    form,
    (next) => {
      localStorage.setItem(FORM, next);
      setForm(next);
    },
  ];
}
