import { countedText } from "../../../core/model/text.ts";
import { useState, type ReactElement, type ReactNode, useEffect } from "react";
import { type Issue, ok, type Result } from "../../../core/model/issue.ts";
import type { EditableLayer } from "../../../core/wire/catalog.ts";
import { useCatalog, loadCatalog } from "../data/use-catalog.ts";
import { SegmentedControl } from "../ui/fields.tsx";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useKeys } from "../browser/keyboard.ts";
import { FileConflict } from "./file-conflict.tsx";
import { IssueList } from "../ui/issues.tsx";
import { FileDiff } from "./diff.tsx";
import { bindSheets } from "../ui/classes.ts";
import saveSheet from "./save.module.css";
import {
  entryText,
  withActiveLoadout,
  withEntry,
  withMateriaRenamed,
  type ConfigSection,
} from "../../../core/edit/config-text.ts";
import type { MateriaText } from "../../../core/edit/loadout-draft.ts";
import { getConfig, putConfig } from "../net/api.ts";
import { updateActiveLoadout, renameInOtherLayer } from "../data/catalog-changes.ts";

const css = bindSheets(saveSheet);

/** Shows the difference before the save. A file that changed since it was opened is not overwritten silently. */
export function SaveReviewDialog(props: {
  readonly title: string;
  readonly action: string;
  readonly saving: SaveRequest;
  readonly layer: EditableLayer;
  readonly problems: readonly Issue[];
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onSaved: (layer: EditableLayer) => void;
  /** Called when the person takes the file's text or the merge in place of the draft. */
  readonly onTake?: (taken: { readonly text: string; readonly filed: string }) => void;
}): ReactElement {
  const { title, action, saving, problems, onClose, onSaved, onTake } = props;
  const [layer, setLayer] = useState(props.layer);
  const { review, busy, save } = useSaveReview(layer, saving);
  const [keepMine, setKeepMine] = useState(false);
  const theirs = review.kind === "ready" && !keepMine ? review.theirs : null;
  const off = saveDisabledReason(review, theirs);
  const look = saving.text === null ? "danger" : "primary";
  const submit = async (): Promise<void> => {
    if (off === null && !busy && (await save())) onSaved(layer);
  };
  // The key that opened the review also saves.
  useKeys({ "ctrl+s": () => void submit() });
  return (
    <Dialog title={title} onClose={onClose} wide className={css("review")}>
      <div className={css("dialog-body")}>
        <LayerField layer={layer} onPick={setLayer} />
        <ProblemSummary problems={problems} />
        {props.children}
        {theirs === null ? (
          <ReviewBody review={review} />
        ) : (
          <FileConflict
            base={saving.filed}
            theirs={theirs}
            mine={saving.text ?? ""}
            onKeep={() => setKeepMine(true)}
            {...(onTake ? { onTake: (text: string) => onTake({ text, filed: theirs }) } : {})}
          />
        )}
      </div>
      <div className={css("dialog-foot")}>
        <Button onClick={onClose}>Cancel</Button>
        <Button data-first look={look} busy={busy} off={off} onClick={() => void submit()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

export function LayerField(props: {
  readonly layer: EditableLayer;
  readonly onPick: (layer: EditableLayer) => void;
}): ReactElement {
  const { layers } = useCatalog();
  return (
    <div className={css("row wrap")}>
      <span className={css("secondary")}>File</span>
      <SegmentedControl<EditableLayer>
        label="File"
        value={props.layer}
        options={{ project: "Project", user: "User" }}
        onPick={props.onPick}
      />
      <code className={css("faint breakable")}>{layers?.[props.layer] ?? ""}</code>
    </div>
  );
}

function ProblemSummary({ problems }: { readonly problems: readonly Issue[] }): ReactElement | null {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <p className={css(`note ${errors > 0 ? "bad" : "rework"}`)}>
      {errors > 0
        ? `It has ${countedText(errors, "error")} and cannot be cast until they are fixed. It can be saved.`
        : `It has ${countedText(problems.length, "warning")}.`}
    </p>
  );
}

function saveDisabledReason(review: SaveReview, theirs: string | null): string | null {
  if (review.kind === "reading") return "The file is loading";
  if (review.kind === "failed") return "The file cannot be written";
  if (theirs !== null) return "Choose a version first";
  return review.before === review.after ? "Nothing differs from the file" : null;
}

function ReviewBody({ review }: { readonly review: SaveReview }): ReactNode {
  if (review.kind === "reading") return <p className={css("faint")}>Reading the file…</p>;
  if (review.kind === "failed") return <IssueList issues={review.issues} />;
  return (
    <>
      {review.before === "" && <p className={css("secondary")}>The file does not exist yet and is made.</p>}
      <FileDiff before={review.before} after={review.after} />
    </>
  );
}

interface SaveRequest {
  readonly section: ConfigSection;
  readonly name: string;
  /** Null removes it from the file. */
  readonly text: string | null;
  /** Its text in the file when opened; null for a new entry. */
  readonly filed: string | null;
  readonly was: string | null;
  /** [E16] Imported materia; existing ones in the file stay unchanged. */
  readonly carriedMateria?: readonly MateriaText[];
}

type SaveReview =
  | { readonly kind: "reading" }
  | { readonly kind: "failed"; readonly issues: readonly Issue[] }
  | {
      readonly kind: "ready";
      readonly before: string;
      readonly after: string;
      readonly etag: string | null;
      /** The text in the file if it changed since it was opened; empty if it was removed. */
      readonly theirs: string | null;
    };

function useSaveReview(layer: EditableLayer, saving: SaveRequest) {
  const [review, setReview] = useState<SaveReview>({ kind: "reading" });
  const [busy, setBusy] = useState(false);
  const { section, name, text, filed, was, carriedMateria } = saving;
  const read = async (): Promise<void> => setReview(await loadReview(layer, saving));
  useEffect(() => void read(), [layer, section, name, text, filed, was, carriedMateria]);
  const save = async (): Promise<boolean> => {
    if (review.kind !== "ready") return false;
    setBusy(true);
    const written = await putConfig(layer, review.after, review.etag);
    setBusy(false);
    if (written.ok) {
      await loadCatalog();
      if (section === "loadouts") await updateActiveLoadout(was ?? name, text === null ? null : name);
      else if (was !== null) await renameInOtherLayer(layer, was, name);
      return true;
    }
    // The file changed between reading and saving: show the new difference.
    if (written.status === 412) await read();
    else setReview({ kind: "failed", issues: written.issues });
    return false;
  };
  return { review, busy, save };
}

async function loadReview(layer: EditableLayer, saving: SaveRequest): Promise<SaveReview> {
  const { section, name, text, filed, was } = saving;
  const answer = await getConfig(layer);
  if (!answer.ok && answer.status !== 404) return { kind: "failed", issues: answer.issues };
  const before = answer.ok ? answer.value.text : "";
  const cleared = was === null ? { ok: true as const, value: before } : withEntry(before, section, was, null);
  const written = cleared.ok ? withEntry(cleared.value, section, name, text) : cleared;
  const after = written.ok ? await withRelatedEntries(written.value, saving) : written;
  if (!after.ok) return { kind: "failed", issues: after.issues };
  const theirs = entryText(before, section, was ?? name) ?? null;
  const etag = answer.ok ? answer.value.etag : null;
  const isChanged = theirs !== filed && theirs !== text;
  return { kind: "ready", before, after: after.value, etag, theirs: isChanged ? (theirs ?? "") : null };
}

async function withRelatedEntries(file: string, saving: SaveRequest): Promise<Result<string>> {
  const { section, name, was, carriedMateria: brings = [] } = saving;
  if (section === "materia") return was === null ? ok(file) : ok(withMateriaRenamed(file, was, name));
  const carried = brings
    .filter((each) => entryText(file, "materia", each.name) === undefined)
    .reduce<Result<string>>(
      (text, each) => (text.ok ? withEntry(text.value, "materia", each.name, each.text) : text),
      ok(file),
    );
  return carried.ok ? updateActiveLoadoutIn(carried.value, saving) : carried;
}

/** [E25] The file must name an active loadout that exists. */
async function updateActiveLoadoutIn(file: string, { name, text, was }: SaveRequest): Promise<Result<string>> {
  if (text !== null) return was === null ? ok(file) : withActiveLoadout(file, was, name);
  const { bundledLayer } = await import("../../../core/catalog/bundled-layer.ts");
  // A bundled loadout of the same name replaces it.
  return bundledLayer().loadouts.has(name) ? ok(file) : withActiveLoadout(file, name, null);
}
