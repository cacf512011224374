import { useState, type ReactElement, useMemo } from "react";
import { navigate, hrefOf } from "../browser/route.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import { css } from "../ui/classes.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { RecordedTest } from "../../../core/wire/testing.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { Switch, TextField } from "../ui/fields.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import { Button } from "../ui/buttons.tsx";
import { ReviewDialog } from "../cast-visit/review-dialog.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";

/** Browsers search a long list by typing. */
const MAX_LISTED_CASTS = 500;

/** Chooses the cast to compare with; casts of the same loadout come first. */
export function CompareCastsDialog({
  cast,
  onClose,
}: {
  readonly cast: WatchedCast;
  readonly onClose: () => void;
}): ReactElement {
  const { castId, loadout } = cast.castFile;
  const { casts } = useCasts();
  const others = useMemo(
    () =>
      casts
        .filter((each) => each.castId !== castId)
        .toSorted((a, b) => Number(b.loadout === loadout.name) - Number(a.loadout === loadout.name))
        .slice(0, MAX_LISTED_CASTS),
    [casts, castId, loadout.name],
  );
  const [chosen, setChosen] = useState("");
  const other = chosen === "" ? others[0]?.castId : chosen;
  return (
    <ConfirmDialog
      title="Compare with another cast"
      action="Compare"
      off={other === undefined ? "There is no other cast here" : null}
      onClose={onClose}
      onAct={() => other !== undefined && navigate(hrefOf("compare", castId, { with: other }))}
    >
      <label className={css("option")}>
        <span className={css("label")}>Path, handoffs, cost, time and files beside those of</span>
        <select className={css("chooser")} value={other ?? ""} onChange={(event) => setChosen(event.target.value)}>
          {others.map((each) => (
            <option key={each.castId} value={each.castId}>
              {`${each.request.slice(0, 60)} · ${each.loadout} · ${statusText(each.status)} · ${each.castId}`}
            </option>
          ))}
        </select>
      </label>
    </ConfirmDialog>
  );
}

/** Records the replies and results of a cast as a test. */
export function RecordTestDialog({
  castId,
  onClose,
}: {
  readonly castId: string;
  readonly onClose: () => void;
}): ReactElement {
  const [file, setFile] = useState(`.pi/tests/${castId}.json`);
  const [tools, setTools] = useState(true);
  const [busy, setBusy] = useState(false);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const record = async (): Promise<void> => {
    setBusy(true);
    const command: TypedCommand = { kind: "record", castId, file: file.trim(), ...(tools ? {} : { noTools: true }) };
    const answer = await fetchCommandOutput({ command }, RecordedTest);
    setBusy(false);
    if (!answer.ok) return setIssues(answer.issues);
    toast({
      text: `Wrote ${file.trim()}`,
      tone: "ok",
      action: { label: "Open tests", act: () => navigate(hrefOf("tests")) },
    });
    return onClose();
  };
  return (
    <ConfirmDialog
      title="Record as a test"
      action="Record"
      busy={busy}
      off={file.trim() === "" ? "Name a file" : null}
      onClose={onClose}
      onAct={() => void record()}
    >
      <p className={css("secondary")}>
        The replies of this cast become a rehearsal, and its results the expectations. The test runs without a model.
      </p>
      <div className={css("option")}>
        <span className={css("label")}>File</span>
        <TextField label="File" mono value={file} onType={setFile} />
      </div>
      <Switch label="Include tool calls" on={tools} onTurn={setTools} />
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}

/** [R6, W50] The work is repeated once more, with these words and comments before the reason. */
export function HintDialog(
  props: CastPanelProps & {
    readonly reason: string;
    readonly busy: boolean;
    readonly onHint: (text: string) => void;
    readonly onClose: () => void;
  },
): ReactElement {
  const { reason, busy, onHint } = props;
  const [hint, setHint] = useState("");
  return (
    <ReviewDialog {...props} title="Try again with a hint" question={reason === "" ? null : reason}>
      {(comments) => {
        const text = [hint.trim(), comments].filter((part) => part !== "").join("\n\n");
        return (
          <form
            className={css("option")}
            onSubmit={(event) => {
              event.preventDefault();
              if (text !== "" && !busy) onHint(text);
            }}
          >
            <label className={css("option")}>
              <span className={css("label")}>Your hint comes before the reason</span>
              <span className={css("field")}>
                <textarea
                  data-first
                  className={css("growing")}
                  dir="auto"
                  rows={3}
                  value={hint}
                  onChange={(event) => setHint(event.target.value)}
                />
              </span>
            </label>
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
