import { useState, type ReactElement } from "react";
import { navigate, hrefOf } from "../browser/route.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import { css } from "../ui/classes.ts";
import { LabelledField, LabelledTextField, Select, Switch, TextArea } from "../ui/fields.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import { Button } from "../ui/buttons.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { ReviewDialog } from "../cast-visit/answer-form.tsx";
import type { BudgetCommand, RecastCommand } from "../../../core/command/command.ts";
import { limitCommandText } from "../../../core/command/command-text.ts";
import { reworkLimitOf } from "../../../core/cast/rework-limit.ts";
import type { LimitName } from "../../../core/cast/state/event.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { capitalize } from "../ui/status.tsx";
import { useCommand } from "../data/use-command.ts";
import { parseAmount, unitText, type Amount } from "../ui/units.tsx";
import { withoutUndefined } from "../../../core/model/json.ts";

/** Browsers search a long list by typing. */
const MAX_LISTED_CASTS = 500;

/** Casts of the same loadout come first. */
export function CompareCastsDialog(props: { readonly cast: WatchedCast; readonly onClose: () => void }): ReactElement {
  const { cast, onClose } = props;
  const { castId, loadout } = cast.castFile;
  const { casts } = useCasts();
  const others = casts
    .filter((each) => each.castId !== castId)
    .toSorted((a, b) => Number(b.loadout === loadout.name) - Number(a.loadout === loadout.name))
    .slice(0, MAX_LISTED_CASTS);
  const [chosen, setChosen] = useState("");
  const other = chosen === "" ? others[0]?.castId : chosen;
  return (
    <ConfirmDialog
      title="Comparison"
      action="Compare"
      off={other === undefined ? "There is no other cast here" : null}
      onClose={onClose}
      onAct={() => other !== undefined && navigate(hrefOf("compare", castId, { with: other }))}
    >
      <LabelledField label="Other cast">
        <Select
          label="Other cast"
          value={other ?? ""}
          options={others.map((each) => ({
            value: each.castId,
            label: `${each.request.slice(0, 60)} · ${each.loadout} · ${statusText(each.status)} · ${each.castId}`,
          }))}
          onPick={setChosen}
        />
      </LabelledField>
    </ConfirmDialog>
  );
}

export function RecordTestDialog(props: { readonly castId: string; readonly onClose: () => void }): ReactElement {
  const { castId, onClose } = props;
  const [file, setFile] = useState(`.pi/tests/${castId}.json`);
  const [tools, setTools] = useState(true);
  const command = useCommand({ quiet: true });
  const record = async (): Promise<void> => {
    const noTools = tools ? {} : { noTools: true as const };
    if ((await command.run({ kind: "record", castId, file: file.trim(), ...noTools }, "")) === null) return;
    const action = { label: "Open tests", act: () => navigate(hrefOf("tests")) };
    toast({ text: `Wrote ${file.trim()}`, tone: "ok", action });
    onClose();
  };
  return (
    <ConfirmDialog
      title="New test"
      action="Record"
      busy={command.busy !== null}
      off={file.trim() === "" ? "Name a file" : null}
      onClose={onClose}
      onAct={() => void record()}
    >
      <p className={css("secondary")}>
        The replies of this cast become a rehearsal, and its results the expectations. The test runs without a model.
      </p>
      <LabelledTextField label="File" mono value={file} onType={setFile} />
      <Switch label="Include tool calls" on={tools} onTurn={setTools} />
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}

export interface HintDialogProps extends CastPanelProps {
  readonly busy: boolean;
  readonly onHint: (text: string) => void;
  readonly onClose: () => void;
}

/** [R6, W50] The work is repeated once more, with these words and comments before the reason. */
export function HintDialog(props: HintDialogProps): ReactElement {
  const { cast, busy, onHint } = props;
  const [hint, setHint] = useTextDraft(`hint ${cast.castFile.castId}`);
  const rework = reworkLimitOf(cast.replay.timelineAt(cast.replay.lastSeq()).state);
  return (
    <ReviewDialog {...props} title="Hint for another try" question={rework?.reason || null}>
      {(comments, clear) => {
        const text = [hint.trim(), comments].filter((part) => part !== "").join("\n\n");
        return (
          <form
            className={css("option")}
            onSubmit={(event) => {
              event.preventDefault();
              if (text === "" || busy) return;
              clear();
              setHint("");
              onHint(text);
            }}
          >
            <LabelledField label="Hint, placed before the reason">
              <TextArea first value={hint} onType={setHint} />
            </LabelledField>
            <Button
              look="primary"
              type="submit"
              busy={busy}
              off={text === "" ? "Write a hint or a comment first" : null}
            >
              Try again
            </Button>
          </form>
        );
      }}
    </ReviewDialog>
  );
}

const UNCOUNTED_LIMITS: readonly LimitName[] = ["maxTokens", "maxCostUsd", "maxRepeatedCalls"];

export function RaiseLimitDialog(props: CastPanelProps & { readonly onClose: () => void }): ReactElement {
  const { cast, view, onClose } = props;
  const { status, limit, tokens, cost, reason } = view.latest;
  const { budget } = cast.replay.timelineAt(cast.replay.lastSeq()).state;
  const stopped = status === "failed" || status === "aborted" || status === "interrupted";
  const counted = limit !== null && !UNCOUNTED_LIMITS.includes(limit);
  const [maxTokens, setTokens] = useState(suggestedText(budget.maxTokens, tokens, "tokens"));
  const [maxCost, setCost] = useState(suggestedText(budget.maxCostUsd, cost, "dollars"));
  const [allow, setAllow] = useState("1");
  const command = useCommand({ quiet: true });
  const { castId } = cast.castFile;
  const read = {
    tokens: parseAmount(maxTokens, "tokens"),
    cost: parseAmount(maxCost, "dollars"),
    allow: parseAmount(allow, "times"),
  };
  const raising: RecastCommand | BudgetCommand = stopped
    ? withoutUndefined({
        kind: "recast" as const,
        castId,
        budget: raisedAmount(read.tokens, budget.maxTokens),
        costUsd: raisedAmount(read.cost, budget.maxCostUsd),
        allow: counted ? raisedAmount(read.allow) : undefined,
      })
    : withoutUndefined({ kind: "budget" as const, castId, tokens: raisedAmount(read.tokens) });
  const raise = async (): Promise<void> => {
    if ((await command.run(raising, "Raised", { trust: command.isForeign })) !== null) onClose();
  };
  return (
    <ConfirmDialog
      title="Limits of the cast"
      action={command.isForeign ? "Trust this cast and resume" : stopped ? "Raise and resume" : "Raise"}
      busy={command.busy !== null}
      off={Object.values(read).flatMap((each) => ("fault" in each ? [each.fault] : []))[0] ?? null}
      onClose={onClose}
      onAct={() => void raise()}
    >
      {reason !== null && <p className={css("note bad")}>{renderSymbols(capitalize(reason))}</p>}
      {counted && <LabelledTextField label="Additional times to allow" value={allow} onType={setAllow} />}
      <LabelledTextField
        label={`Token limit (${amountText(tokens)} used)`}
        value={maxTokens}
        onType={setTokens}
        placeholder="no limit"
      />
      {stopped && (
        <LabelledTextField
          label={`Cost limit (${costText(cost)} used)`}
          value={maxCost}
          onType={setCost}
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

/** Undefined if the limit does not change. */
function raisedAmount(amount: Amount, before?: number): number | undefined {
  return "value" in amount && amount.value !== null && amount.value !== before ? amount.value : undefined;
}

/** A limit that was reached is doubled. */
function suggestedText(limit: number | undefined, used: number, unit: "tokens" | "dollars"): string {
  return limit === undefined ? "" : unitText(used >= limit ? Math.ceil(2 * used) : limit, unit);
}
