import { useState, type ReactElement } from "react";
import { nextSteps } from "../../../core/view/report/next-steps.ts";
import { Button } from "../ui/buttons.tsx";
import { AbortDialog, TrustCastDialog } from "../dialogs/confirm-cast-dialogs.tsx";
import { CastMenu } from "./cast-menu.tsx";
import { AnswerDialog, asksYesOrNo } from "../cast-visit/answer-form.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { RaiseLimitDialog } from "./raise-limit-dialog.tsx";
import { useCommand } from "../data/use-command.ts";
import { bindClassNames } from "../styles/classes.ts";
import marksSheet from "../ui/marks.module.css";
import castSheet from "./cast.module.css";
import type { CastStatus } from "../../../core/cast/summary.ts";

const css = bindClassNames(castSheet, marksSheet);

type ActionDialog = "abort" | "continue" | "raise" | "trust";

/** The commands of a cast as buttons in fixed places; a disabled one says why. */
export function CastActions({
  cast,
  view,
  dialogToOpen,
}: CastPanelProps & { readonly dialogToOpen: string | null }): ReactElement {
  const [dialog, setDialog] = useState<ActionDialog | null>(
    dialogToOpen === "continue" || dialogToOpen === "raise" || dialogToOpen === "abort" ? dialogToOpen : null,
  );
  const { status } = view.latest;
  const { castId } = cast.castFile;
  const command = useCommand();
  const why = disabledReasonsFor(status);
  const close = (): void => setDialog(null);
  const resume = async (): Promise<void> => {
    if ((await command.run({ kind: "recast", castId }, "Resumed")) === null) setDialog("trust");
  };
  const { state } = cast.replay.timelineAt(cast.replay.lastSeq());
  const [step] = nextSteps(state, status, "");
  return (
    <div className={css("actions")} role="group" aria-label="Cast">
      <Button
        className={css(why.continue === null ? "" : "off")}
        off={why.continue}
        onClick={() => setDialog("continue")}
      >
        {asksYesOrNo({ cast }) ? "Yes or no…" : "Continue…"}
      </Button>
      <Button
        className={css(why.resume === null ? "" : "off")}
        off={why.resume}
        busy={command.busy !== null}
        onClick={() => void resume()}
        {...(step && status === "failed" ? { title: step.does } : {})}
      >
        Resume
      </Button>
      <Button className={css(why.raise === null ? "" : "off")} off={why.raise} onClick={() => setDialog("raise")}>
        Raise a limit…
      </Button>
      <Button
        look="danger"
        className={css(why.abort === null ? "" : "off")}
        off={why.abort}
        onClick={() => setDialog("abort")}
      >
        Abort…
      </Button>
      <CastMenu cast={cast} view={view} />
      {dialog === "abort" && why.abort === null && (
        <AbortDialog castId={castId} request={cast.castFile.request} onClose={close} />
      )}
      {dialog === "trust" && command.isForeign && (
        <TrustCastDialog castId={castId} issues={command.issues} onClose={close} />
      )}
      {dialog === "continue" && why.continue === null && <AnswerDialog cast={cast} view={view} onClose={close} />}
      {dialog === "raise" && why.raise === null && <RaiseLimitDialog cast={cast} view={view} onClose={close} />}
    </div>
  );
}

type DisabledReasons = Readonly<Record<"continue" | "resume" | "raise" | "abort", string | null>>;

function disabledReasonsFor(status: CastStatus): DisabledReasons {
  const over = status === "completed" || status === "not_satisfied";
  const stopped = status === "failed" || status === "aborted" || status === "interrupted";
  return {
    continue: status === "waiting" ? null : "This cast does not wait for you",
    resume: stopped
      ? null
      : over
        ? "The cast has ended"
        : status === "queued"
          ? "The cast waits for a worker"
          : "The cast is running",
    raise: over ? "The cast has ended" : null,
    abort: status === "running" || status === "waiting" || status === "queued" ? null : "The cast is not running",
  };
}
