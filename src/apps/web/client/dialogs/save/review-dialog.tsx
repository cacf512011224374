import { useState, type ReactElement, type ReactNode } from "react";
import type { Issue } from "../../../../../core/model/issue.ts";
import type { EditableLayer } from "../../../../../core/wire/catalog.ts";
import { useCatalog } from "../../data/use-catalog.ts";
import { SegmentedControl } from "../../parts/controls/fields.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { useKeys } from "../../browser/keys.ts";
import { FileConflict } from "./conflict.tsx";
import { FileDiff } from "./file-diff.tsx";
import { useSaveReview, type SaveReview, type SaveRequest } from "./use-review.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";
import saveSheet from "./save.module.css";

const css = bindClassNames(saveSheet, dialogSheet, marksSheet, baseSheet);

/** The difference first, then the save; a file that changed meanwhile is never overwritten without a word. */
export function SaveReviewDialog(props: {
  readonly title: string;
  readonly action: string;
  readonly saving: SaveRequest;
  readonly layer: EditableLayer;
  readonly problems: readonly Issue[];
  /** What else is to be known before. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onSaved: (layer: EditableLayer) => void;
  /** A file that had changed meanwhile: theirs, or both in one, in place of what was in hand. */
  readonly onTake?: (taken: { readonly text: string; readonly filed: string }) => void;
}): ReactElement {
  const { title, action, saving, problems, onClose, onSaved, onTake } = props;
  const [layer, setLayer] = useState(props.layer);
  const { review, busy, save } = useSaveReview(layer, saving);
  const [keepMine, setKeepMine] = useState(false);
  const theirs = review.kind === "ready" && !keepMine ? review.theirs : null;
  const off = saveDisabledReason(review, theirs);
  const submit = async (): Promise<void> => {
    if (off === null && !busy && (await save())) onSaved(layer);
  };
  // The same keys that led here lead on.
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
        <Button data-first look="primary" busy={busy} off={off} onClick={() => void submit()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

function LayerField(props: {
  readonly layer: EditableLayer;
  readonly onPick: (layer: EditableLayer) => void;
}): ReactElement {
  const { layers } = useCatalog();
  return (
    <div className={css("row wrap")}>
      <span className={css("secondary")}>Save to</span>
      <SegmentedControl<EditableLayer>
        label="Save to"
        value={props.layer}
        options={[
          { value: "project", label: "Project" },
          { value: "user", label: "User" },
        ]}
        onPick={props.onPick}
      />
      <code className={css("faint breakable")}>{layers?.[props.layer] ?? ""}</code>
    </div>
  );
}

function ProblemSummary({ problems }: { readonly problems: readonly Issue[] }): ReactElement | null {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;
  return (
    <p className={css(`note ${errors > 0 ? "bad" : "rework"}`)}>
      {errors > 0
        ? `It has ${count(errors, "error")} and cannot be cast until they are mended. It can be saved.`
        : `It has ${count(problems.length, "warning")}.`}
    </p>
  );
}

function saveDisabledReason(review: SaveReview, theirs: string | null): string | null {
  if (review.kind === "reading") return "The file is being read";
  if (review.kind === "failed") return "The file cannot be written";
  if (theirs !== null) return "Choose which one stays first";
  return review.before === review.after ? "Nothing differs from the file" : null;
}

function ReviewBody({ review }: { readonly review: SaveReview }): ReactNode {
  if (review.kind === "reading") return <p className={css("faint")}>Reading the file…</p>;
  if (review.kind === "failed") {
    return (
      <div className={css("note bad")} role="alert">
        {review.issues.map(({ message, hint, path }) => (
          <p key={`${path.join(".")} ${message}`}>
            {message}.{hint !== undefined && ` ${hint}.`}
          </p>
        ))}
      </div>
    );
  }
  return (
    <>
      {review.before === "" && <p className={css("secondary")}>The file does not exist yet and is made.</p>}
      <FileDiff before={review.before} after={review.after} />
    </>
  );
}
