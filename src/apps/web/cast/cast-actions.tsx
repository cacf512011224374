import { useEffect, useState, type ReactElement } from "react";
import { reworkLimitOf } from "../../../core/cast/rework-limit.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import {
  ACTION_LABELS,
  actionLabel,
  actionsFor,
  type CastAction,
  type OfferedActions,
} from "../../../core/view/cast-actions.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";
import { hrefOf, navigate, replaceSearchParams } from "../browser/route.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { AnswerDialog } from "../cast-visit/answer-form.tsx";
import { ForkDialog } from "../cast-visit/fork-dialog.tsx";
import { useCatalog } from "../data/use-catalog.ts";
import { useCommand } from "../data/use-command.ts";
import { AbortDialog, TrustCastDialog } from "../dialogs/confirm-cast-dialogs.tsx";
import { Button, Menu, type MenuItem } from "../ui/buttons.tsx";
import {
  CompareCastsDialog,
  HintDialog,
  RecordTestDialog,
  RaiseLimitDialog,
  type HintDialogProps,
} from "./cast-dialogs.tsx";
import { ExplainDialog } from "../dialogs/explain-dialog.tsx";
import { ReviewCastDialog } from "./review-cast-dialog.tsx";
import { copyText } from "../ui/toasts.tsx";

/** [W43] The actions of the cast as it stands now. */
export function useCastActions({
  cast,
  view,
  dialogToOpen,
}: CastPanelProps & { readonly dialogToOpen: string | null }) {
  const { castId } = cast.castFile;
  const whole = useOfferedActions({ cast, view });
  const isShort = (useScreenWidth() !== "large" || textScale() > 1.4) && view.latest.status !== "failed";
  const offered = isShort ? { main: whole.main.slice(0, 2), more: [...whole.main.slice(2), ...whole.more] } : whole;
  const all = [...offered.main, ...offered.more];
  const command = useCommand();
  const [dialog, showDialog] = useState<CastAction | "explain" | null>(null);
  // A review or an answer has an address, which survives a reload.
  const setDialog = (next: typeof dialog): void => {
    showDialog(next);
    replaceSearchParams({ do: next });
  };
  const asked = all.find((each) => each === dialogToOpen);
  // A link may ask for an action; only what asks first is done without a click.
  useEffect(() => {
    if (asked !== undefined && ACTION_LABELS[asked].endsWith("…")) showDialog(asked);
  }, [asked]);
  const [refused, setRefused] = useState<TypedCommand | null>(null);
  const run = async (sent: TypedCommand, done: string): Promise<void> => {
    setRefused((await command.run(sent, done)) === null ? sent : null);
    setDialog(null);
  };
  const recast = (part: object, done: string): void => void run({ kind: "recast", castId, ...part }, done);
  const act = (action: CastAction): void => {
    if (action === "resume") recast({}, "The cast continues");
    else if (action === "allow") recast({ allow: 1 }, "Allowed once more. The cast continues");
    else if (action === "accept") recast({ decision: { kind: "accept" } }, "Accepted. The cast continues");
    else if (action === "skip")
      recast({ decision: { kind: "next" } }, "Skipped. The cast continues with the next item");
    else if (action === "take") void run({ kind: "take", castId }, "The work is on its branch");
    else setDialog(action);
  };
  const onHint = (text: string): void =>
    recast({ decision: { kind: "hint", text } }, "The cast continues with your hint");
  const onClose = (): void => setDialog(null);
  const shown = all.find((each) => each === dialog);
  return {
    ...offered,
    status: view.latest.status,
    busy: command.busy,
    act,
    dialog:
      refused && command.isForeign ? (
        <TrustCastDialog resuming={refused} issues={command.issues} onClose={() => setRefused(null)} />
      ) : (
        ((shown && ACTION_DIALOGS[shown]?.({ cast, view, busy: command.busy !== null, onHint, onClose })) ??
        (dialog === "explain" ? (
          <ExplainDialog name={cast.castFile.loadout.name} graph={cast.castFile.graph} onClose={onClose} />
        ) : null))
      ),
    explain: () => setDialog("explain"),
  };
}

type CastActionsState = ReturnType<typeof useCastActions>;

function useOfferedActions({ cast, view }: CastPanelProps): OfferedActions {
  const { status, limit } = view.latest;
  const { fleet } = useCatalog();
  const { state } = cast.replay.timelineAt(cast.replay.lastSeq());
  const rework = reworkLimitOf(state);
  const isOnFleet = fleet !== null;
  const isApart = isOnFleet || state.branch !== undefined;
  const isReviewable = !cast.castFile.window && state.files !== null && state.files.base !== state.files.last;
  return actionsFor({ status, limit, ...(rework ? { rework } : {}), isOnFleet, isApart, isReviewable });
}

const ACTION_DIALOGS: Readonly<Partial<Record<CastAction, (props: HintDialogProps) => ReactElement | null>>> = {
  abort: ({ cast: { castFile }, onClose }) => (
    <AbortDialog castId={castFile.castId} request={castFile.request} onClose={onClose} />
  ),
  answer: (props) => <AnswerDialog {...props} />,
  hint: (props) => <HintDialog {...props} />,
  review: (props) => <ReviewCastDialog {...props} />,
  raise: (props) => <RaiseLimitDialog {...props} />,
  record: ({ cast, onClose }) => <RecordTestDialog castId={cast.castFile.castId} onClose={onClose} />,
  compare: (props) => <CompareCastsDialog {...props} />,
  again: ({ cast, view: { allVisits }, onClose }) =>
    allVisits[0] ? <ForkDialog cast={cast} visit={allVisits[0]} onClose={onClose} /> : null,
};

/** The most likely action first. */
export function ActionButtons({ main, busy, act, status }: CastActionsState): readonly ReactElement[] {
  return main.map((action, index) => (
    <Button
      key={action}
      look={action === "abort" ? "danger" : index === 0 ? "primary" : "plain"}
      busy={busy !== null && index === 0}
      onClick={() => act(action)}
    >
      {actionLabel(action, status)}
    </Button>
  ));
}

export function ActionMenu(props: { readonly castId: string; readonly actions: CastActionsState }): ReactElement {
  const { castId, actions } = props;
  return (
    <Menu
      label="More"
      items={() => [
        ...actions.more.map((action) => ({ label: ACTION_LABELS[action], act: () => actions.act(action) })),
        { label: "Explain…", act: actions.explain },
        { label: "Find in this cast…", act: () => navigate(hrefOf("find", undefined, { cast: castId })) },
        { label: "Copy the link", act: () => void copyText(location.href, "the link") },
        ...notificationMenuItems(),
        { label: "Copy the cast id", act: () => void copyText(castId, "the cast id") },
      ]}
    />
  );
}

/** Ask for permission only on request; afterwards the browser's settings decide. */
function notificationMenuItems(): readonly MenuItem[] {
  if (typeof Notification === "undefined" || Notification.permission !== "default") return [];
  return [{ label: "Notify me about casts", act: () => void Notification.requestPermission() }];
}
