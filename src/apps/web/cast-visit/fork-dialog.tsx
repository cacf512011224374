import { useState, type ReactElement } from "react";
import type { ForkCommand } from "../../../core/command/command.ts";
import { castFileSpans } from "../../../core/view/file-changes.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { resultText } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { ForkPreview } from "../../../core/wire/catalog.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { useCommandOutput, useCommand } from "../data/use-command.ts";
import { ModelField, RequestField } from "../dialogs/cast-fields.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import { css } from "../ui/classes.ts";
import { LabelledField, TextArea } from "../ui/fields.tsx";
import { countedText } from "../../../core/model/text.ts";

interface ForkEdits {
  readonly request: string;
  readonly model: string;
  /** The handoff to use instead of running the visit; null runs it. */
  readonly handoff: string | null;
  readonly restoresFiles: boolean;
}

/** [B26] The files are in the database of the fleet. */
export const FORK_NOT_ON_FLEET = "Take the cast home first: a fork needs its files on this machine";

/** Starts a cast that shares the past of this one up to a visit. From the first visit it runs everything again. */
export function ForkDialog(props: {
  readonly cast: WatchedCast;
  readonly visit: TimelineVisit;
  readonly onClose: () => void;
}): ReactElement {
  const { cast, visit, onClose } = props;
  const { castFile } = cast;
  const isFirst = visit.index === 0;
  const areKept = !isFirst && castFileSpans(cast.replay.events()).kind === "kept";
  const [edits, setEdits] = useState<ForkEdits>({
    request: castFile.request,
    model: "",
    handoff: null,
    restoresFiles: false,
  });
  const set = (part: Partial<ForkEdits>): void => setEdits((before) => ({ ...before, ...part }));
  const fork = forkCommand(cast, visit, edits);
  const model = edits.model.trim() === "" ? {} : { model: edits.model.trim() };
  const plan = useCommandOutput({ command: { ...fork, kind: "fork_plan" }, options: model }, ForkPreview);
  const command = useCommand({ quiet: true });
  const start = async (): Promise<void> => {
    const options = { ...model, ...(command.isTreeInUse ? { anyway: true as const } : {}) };
    const castId = await command.run(fork, "Started", { options, trust: command.isForeign });
    if (castId === null) return;
    onClose();
    navigate(hrefOf("casts", castId));
  };
  return (
    <ConfirmDialog
      title={isFirst ? "Another run" : `Another run, from ${visit.materia}, visit ${visit.visit}`}
      action={command.isForeign ? "Trust this cast and start" : command.isTreeInUse ? "Start anyway" : "Start"}
      busy={command.busy !== null}
      off={edits.request.trim() === "" ? "Write a request first" : null}
      onClose={onClose}
      onAct={() => void start()}
    >
      <ForkSummary plan={plan.value} isFirst={isFirst} />
      <RequestField value={edits.request} onType={(request) => set({ request })} />
      {canWriteHandoff(cast, visit) && <HandoffField visit={visit} edits={edits} onEdit={set} />}
      <ModelField value={edits.model} usual={castFile.model} onType={(name) => set({ model: name })} />
      {areKept && (
        <label className={css("row")}>
          <input
            type="checkbox"
            checked={edits.restoresFiles}
            onChange={(event) => set({ restoresFiles: event.target.checked })}
          />
          <span>Restore files to this point</span>
        </label>
      )}
      <IssueList issues={command.issues.length > 0 ? command.issues : plan.issues} />
    </ConfirmDialog>
  );
}

function forkCommand({ castFile }: WatchedCast, visit: TimelineVisit, edits: ForkEdits): ForkCommand {
  const request = edits.request.trim();
  return {
    kind: "fork",
    castId: castFile.castId,
    visit: `${visit.socket}#${visit.visit}`,
    ...(request === castFile.request || request === "" ? {} : { request }),
    ...(edits.handoff === null ? {} : { handoff: edits.handoff }),
    ...(edits.restoresFiles ? { here: true } : {}),
  };
}

function ForkSummary(props: { readonly plan: ForkPreview | null; readonly isFirst: boolean }): ReactElement {
  const { plan, isFirst } = props;
  if (!plan || isFirst)
    return (
      <p className={css("secondary")}>
        {isFirst
          ? "Starts a new cast of the same loadout with the current configuration. This cast does not change."
          : "Starts a new cast that shares everything before this visit. This cast does not change."}
      </p>
    );
  return (
    <p className={css("secondary")}>
      {`A new cast: ${countedText(plan.reused.length, "visit")} of this one ${plan.reused.length === 1 ? "is" : "are"} reused, `}
      <b>{`${amountText(plan.saved.tokens)} tokens and ${costText(plan.saved.cost)} saved`}</b>
      {`; it runs from ${plan.anew[0]?.visit ?? "there"}. This cast does not change.`}
    </p>
  );
}

/** Only the handoff of an agent can be written by hand. */
function canWriteHandoff({ castFile }: WatchedCast, { materia }: TimelineVisit): boolean {
  return castFile.graph.materia[materia]?.type === "agent";
}

function HandoffField(props: {
  readonly visit: TimelineVisit;
  readonly edits: ForkEdits;
  readonly onEdit: (part: Partial<ForkEdits>) => void;
}): ReactElement {
  const { visit, edits, onEdit } = props;
  return (
    <>
      <label className={css("row")}>
        <input
          type="checkbox"
          checked={edits.handoff !== null}
          onChange={(event) => onEdit({ handoff: event.target.checked ? (resultText(visit) ?? "") : null })}
        />
        <span>{`Write what ${visit.materia} hands over instead of running it`}</span>
      </label>
      {edits.handoff !== null && (
        <LabelledField label="Handoff">
          <TextArea code value={edits.handoff} onType={(handoff) => onEdit({ handoff })} />
        </LabelledField>
      )}
    </>
  );
}
