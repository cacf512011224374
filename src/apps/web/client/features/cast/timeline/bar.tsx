import { memo } from "react";
import type { ReactElement } from "react";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { clockText } from "../../../../../../core/view/numbers.ts";
import type { VisitOutcome, VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { hueStyle } from "../../../parts/marks/orb.tsx";
import { glyphs } from "../../../parts/marks/words.tsx";

const LOOKS: Readonly<Record<VisitOutcome, { readonly look: string; readonly sign: string; readonly word: string }>> = {
  running: { look: "run", sign: "", word: "running" },
  waiting: { look: "wait", sign: "‖", word: "waiting for you" },
  done: { look: "", sign: "", word: "done" },
  satisfied: { look: "ok", sign: "✓", word: "satisfied" },
  not_satisfied: { look: "rew", sign: "✗", word: "not satisfied" },
  failed: { look: "bad", sign: "✕", word: "failed" },
};

/** A visit: length is its duration, fill its outcome; the name only where it fits whole. */
export const Bar = memo(function Bar(props: {
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
  const { look, sign, word } = LOOKS[visit.outcome];
  const item = visit.item ? `item ${visit.item.index + 1}` : "no item";
  const stay = clockText((visit.to ?? nowMs) - visit.from);
  const isUtility = materia?.type === "utility";
  return (
    <button
      type="button"
      className={`b ${look} ${isRead ? "sel" : ""} ${isLater ? "later" : ""} ${isUtility ? "ut" : ""}`}
      style={{ left: `${share}%`, width: `calc(${length}% - 1px)`, ...hueStyle(materia?.color) }}
      title={`${visit.materia}, ${stay}, ${word}`}
      aria-label={`${visit.materia}, ${item}, ${stay}, ${word}`}
      aria-current={isRead ? "true" : undefined}
      tabIndex={isRead ? 0 : -1}
      onClick={onChoose}
    >
      {sign === "" ? <span className={`dt ${isUtility ? "u" : ""}`} /> : <span className="sign">{glyphs(sign)}</span>}
      {sign === "" && <span className="nm">{visit.materia}</span>}
    </button>
  );
});
