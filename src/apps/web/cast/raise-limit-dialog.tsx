import { useState, type ReactElement } from "react";
import type { BudgetCommand, RecastCommand } from "../../../core/command/command.ts";
import { limitCommandText } from "../../../core/command/command-text.ts";
import type { LimitName } from "../../../core/cast/state/event.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { useCommand } from "../data/use-command.ts";
import { css } from "../ui/classes.ts";

const COUNTED_LIMITS: readonly LimitName[] = [
  "maxTurnTokens",
  "maxTurnMinutes",
  "maxTraversals",
  "maxUnchanged",
  "maxNoAdvanceCycles",
  "maxRepairs",
];

/** Raises a limit of a cast; a cast that stopped at it resumes. */
export function RaiseLimitDialog({
  cast,
  view,
  onClose,
}: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  const { status, limit, tokens, cost } = view.latest;
  const { budget } = cast.replay.timelineAt(cast.replay.lastSeq()).state;
  const stopped = status === "failed" || status === "aborted" || status === "interrupted";
  const counted = limit !== null && COUNTED_LIMITS.includes(limit);
  const [maxTokens, setTokens] = useState(String(suggestedLimit(budget.maxTokens, limit === "maxTokens" ? tokens : 0)));
  const [maxCost, setCost] = useState(String(suggestedLimit(budget.maxCostUsd, limit === "maxCostUsd" ? cost : 0)));
  const [allow, setAllow] = useState("1");
  const command = useCommand({ quiet: true });
  const { castId } = cast.castFile;
  const changed = (text: string, before: number | undefined): boolean => text !== "" && Number(text) !== before;
  const raising: RecastCommand | BudgetCommand = stopped
    ? {
        kind: "recast",
        castId,
        ...(changed(maxTokens, budget.maxTokens) ? { budget: Number(maxTokens) } : {}),
        ...(changed(maxCost, budget.maxCostUsd) ? { costUsd: Number(maxCost) } : {}),
        ...(counted ? { allow: Number(allow) } : {}),
      }
    : { kind: "budget", castId, ...(maxTokens === "" ? {} : { tokens: Number(maxTokens) }) };
  const raise = async (): Promise<void> => {
    if ((await command.run(raising, "Raised", { trust: command.isForeign })) !== null) onClose();
  };
  return (
    <ConfirmDialog
      title="Raise a limit"
      action={command.isForeign ? "Trust this cast and resume" : stopped ? "Raise and resume" : "Raise"}
      busy={command.busy !== null}
      off={[maxTokens, maxCost, allow].some((text) => !/^\d*(\.\d+)?$/.test(text)) ? "Write numbers" : null}
      onClose={onClose}
      onAct={() => void raise()}
    >
      {view.latest.reason !== null && <p className={css("note bad")}>{renderSymbols(view.latest.reason)}</p>}
      {counted && <LimitInput label="Additional times to allow" value={allow} onChange={setAllow} />}
      <LimitInput
        label={`Token limit (${amountText(tokens)} used)`}
        value={maxTokens}
        onChange={setTokens}
        placeholder="no limit"
      />
      {stopped && (
        <LimitInput
          label={`Cost limit in dollars (${costText(cost)} used)`}
          value={maxCost}
          onChange={setCost}
          placeholder="no limit"
        />
      )}
      <p className={css("command")}>
        <code>/materia {limitCommandText(raising)}</code>
      </p>
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}

/** The current limit, or twice the amount that reached it. */
function suggestedLimit(limit: number | undefined, used: number): number | string {
  return limit === undefined ? "" : used >= limit ? Math.ceil(2 * used) : limit;
}

function LimitInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly placeholder?: string;
}): ReactElement {
  const { label, value, onChange, placeholder } = props;
  return (
    <label className={css("option")}>
      <span className={css("label")}>{label}</span>
      <span className={css("field")}>
        <input
          inputMode="decimal"
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    </label>
  );
}
