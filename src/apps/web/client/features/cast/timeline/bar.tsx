import { memo, type ReactElement } from "react";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { durationText } from "../../../../../../core/view/numbers.ts";
import { fileChangesText } from "../../../../../../core/view/tell/files.ts";
import type { VisitOutcome, VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { materiaColorStyle } from "../../../parts/marks/orb.tsx";
import { renderSymbols } from "../../../parts/marks/words.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import timelineSheet from "./timeline.module.css";

const barCss = bindClassNames(timelineSheet);

const VISIT_LOOKS = {
  running: { look: "running-visit", sign: "", word: "running" },
  waiting: { look: "waiting-visit", sign: "‖", word: "waiting for you" },
  done: { look: "", sign: "", word: "done" },
  satisfied: { look: "satisfied-visit", sign: "✓", word: "satisfied" },
  not_satisfied: { look: "refused-visit", sign: "✗", word: "not satisfied" },
  failed: { look: "failed-visit", sign: "✕", word: "failed" },
  aborted: { look: "", sign: "", word: "aborted" },
} as const satisfies Record<VisitOutcome, { readonly look: string; readonly sign: string; readonly word: string }>;

/** A visit: length is its duration, fill its outcome; the name only where it fits whole. */
export const VisitBar = memo(function Bar(props: {
  readonly visit: VisitRecord;
  readonly materia: Materia | undefined;
  readonly share: number;
  readonly length: number;
  readonly isRead: boolean;
  readonly isLater: boolean;
  readonly nowMs: number;
  readonly onChoose: () => void;
}): ReactElement {
  const { visit, materia, share, length, isRead, isLater, nowMs, onChoose } = props;
  const { look, sign, word } = VISIT_LOOKS[visit.outcome];
  const item = visit.item ? `item ${visit.item.index + 1}` : "no item";
  const stay = durationText((visit.to ?? nowMs) - visit.from);
  const changed = visit.files && "changed" in visit.files.now ? fileChangesText(visit.files.now) : undefined;
  const said = changed === undefined ? word : `${word}, ${changed}`;
  const isUtility = materia?.type === "utility";
  return (
    <button
      type="button"
      className={barCss(
        `bar ${look} ${isRead ? "read" : ""} ${isLater ? "later" : ""} ${isUtility ? "utility-bar" : ""} ${changed === undefined ? "" : "changed-files"}`,
      )}
      style={{ left: `${share}%`, width: `calc(${length}% - 1px)`, ...materiaColorStyle(materia?.color) }}
      title={`${visit.materia}, ${stay}, ${said}`}
      aria-label={`${visit.materia}, ${item}, ${stay}, ${said}`}
      aria-current={isRead ? "true" : undefined}
      tabIndex={isRead ? 0 : -1}
      onClick={onChoose}
    >
      {sign === "" ? (
        <span className={barCss(`materia-dot ${isUtility ? "utility-dot" : ""}`)} />
      ) : (
        <span className={barCss("bar-sign")}>{renderSymbols(sign)}</span>
      )}
      {sign === "" && <span className={barCss("bar-name")}>{visit.materia}</span>}
    </button>
  );
});
