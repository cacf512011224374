import { useState, type ReactElement } from "react";
import type { ForkCommand } from "../../../core/command/command.ts";
import { castFileSpans } from "../../../core/view/file-changes.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { resultText, visitKey } from "../../../core/history/visits.ts";
import type { VisitProps } from "./visit-panel.tsx";
import { ForkPreview } from "../../../core/wire/catalog.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { useCommandOutput, useCommand } from "../data/use-command.ts";
import { ModelField, RequestField } from "../dialogs/cast-fields.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { css } from "../ui/classes.ts";
import { Checkbox, LabelledField, TextArea } from "../ui/fields.tsx";
import { countedText } from "../../../core/model/text.ts";

/** [B26] The files are in the database of the fleet. */
export const FORK_NOT_ON_FLEET = "Take the cast home first: a fork needs its files on this machine";

/** From the first visit it runs everything again. */
export function ForkDialog(props: Pick<VisitProps, "cast" | "visit"> & { readonly onClose: () => void }): ReactElement {
  const { visit, onClose } = props;
  const { castFile, replay } = props.cast;
  const isFirst = visit.index === 0;
  const areKept = !isFirst && castFileSpans(replay.events()).kind === "kept";
  const [request, setRequest] = useState(castFile.request);
  const [named, setModel] = useState("");
  // The handoff to use instead of running the visit; null runs it.
  const [handoff, setHandoff] = useState<string | null>(null);
  const [restores, setRestores] = useState(false);
  const fork: ForkCommand = {
    kind: "fork",
    castId: castFile.castId,
    visit: visitKey(visit.socket, visit.visit),
    ...(request.trim() === castFile.request || request.trim() === "" ? {} : { request: request.trim() }),
    ...(handoff === null ? {} : { handoff }),
    ...(restores ? { here: true } : {}),
  };
  const model = named.trim() === "" ? {} : { model: named.trim() };
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
      off={request.trim() === "" ? "Write a request first" : null}
      onClose={onClose}
      onAct={() => void start()}
    >
      <ForkSummary plan={plan.value} isFirst={isFirst} />
      <RequestField value={request} onType={setRequest} />
      {/* Only the handoff of an agent can be written by hand. */}
      {castFile.graph.materia[visit.materia]?.type === "agent" && (
        <Checkbox
          label={`Write what ${visit.materia} hands over instead of running it`}
          on={handoff !== null}
          onTurn={(on) => setHandoff(on ? (resultText(visit) ?? "") : null)}
        />
      )}
      {handoff !== null && (
        <LabelledField label="Handoff">
          <TextArea code value={handoff} onType={setHandoff} />
        </LabelledField>
      )}
      <ModelField value={named} usual={castFile.model} onType={setModel} />
      {areKept && <Checkbox label="Restore files to this point" on={restores} onTurn={setRestores} />}
      <IssueList issues={command.issues.length > 0 ? command.issues : plan.issues} />
    </ConfirmDialog>
  );
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
