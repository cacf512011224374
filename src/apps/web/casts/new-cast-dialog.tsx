import { useState, type ReactElement } from "react";
import { parseJson } from "../../../core/model/json.ts";
import { countedText } from "../../../core/model/text.ts";
import { amountText, costText, durationText } from "../../../core/view/numbers.ts";
import type { TypedCommand, TypedCommandOptions } from "../../../core/wire/commands.ts";
import { ForecastResponse } from "../../../core/wire/testing.ts";
import { hrefOf, navigate } from "../browser/route.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { useCommand, useCommandOutput } from "../data/use-command.ts";
import { ModelField, RequestField } from "../dialogs/cast-loadout-dialog.tsx";
import { useStartRehearsal } from "../dialogs/rehearse-dialog.tsx";
import { GraphThumbnail } from "../graph/thumbnail.tsx";
import { bindSheets } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import castsSheet from "./casts.module.css";

const css = bindSheets(castsSheet);

/** A rehearsal file that the person picked. */
interface PickedReplies {
  readonly name: string;
  readonly replies: unknown;
  readonly fault: string | null;
}

/** [W48] A new cast: what runs, what it may cost, and with which model. */
export default function NewCastDialog(props: {
  readonly onClose: () => void;
  readonly loadout?: string;
}): ReactElement {
  const { onClose } = props;
  const [picked, setPicked] = useState(props.loadout ?? "");
  const { catalog } = useCatalog();
  const chosen = picked === "" ? (catalog?.settings.activeLoadout.value ?? "") : picked;
  const [request, setRequest] = useTextDraft("request");
  const [{ model, dollars, rehearsal }, setOptions] = useState<CastOptions>(NO_OPTIONS);
  const set = (part: Partial<CastOptions>): void => setOptions((before) => ({ ...before, ...part }));
  const { start, busy, issues, isTreeInUse } = useStart({ model, dollars, rehearsal }, (castId) => {
    setRequest("");
    onClose();
    if (castId !== "") navigate(hrefOf("casts", castId));
  });
  const isNumber = /^\d*(\.\d+)?$/.test(dollars.trim());
  return (
    <ConfirmDialog
      title="New cast"
      action={rehearsal ? "Rehearse" : isTreeInUse ? "Start anyway" : "Start"}
      keepsText
      wide
      busy={busy}
      off={
        request.trim() === ""
          ? "Write a request first"
          : isNumber
            ? (rehearsal?.fault ?? null)
            : "Write the budget as a number"
      }
      onClose={onClose}
      onAct={() => void start(chosen, request.trim())}
    >
      <div className={css("new-cast")}>
        <div className={css("new-cast-fields")}>
          <RequestField value={request} onType={setRequest} />
          <LastRequests onPick={setRequest} />
          <label className={css("option")}>
            <span className={css("label")}>Loadout</span>
            <select className={css("chooser")} value={chosen} onChange={(event) => setPicked(event.target.value)}>
              {[...(catalog?.loadouts.values() ?? [])].map(({ name, layer }) => (
                <option key={name} value={name}>{`${name} · ${layer}`}</option>
              ))}
            </select>
          </label>
          <ModelField value={model} onType={(next) => set({ model: next })} />
          <BudgetField value={dollars} onType={(next) => set({ dollars: next })} />
          <RehearsalPicker picked={rehearsal} onPick={(next) => set({ rehearsal: next })} />
        </div>
        <ChosenLoadout name={chosen} model={model.trim()} />
      </div>
      <IssueList issues={issues} />
    </ConfirmDialog>
  );
}

interface CastOptions {
  readonly model: string;
  readonly dollars: string;
  readonly rehearsal: PickedReplies | null;
}

const NO_OPTIONS: CastOptions = { model: "", dollars: "", rehearsal: null };

/** Starts the cast, or its rehearsal with the replies of a file. */
function useStart({ model, dollars, rehearsal }: CastOptions, open: (castId: string) => void) {
  const command = useCommand({ quiet: true });
  const rehearsed = useStartRehearsal(open);
  const start = async (loadout: string, prompt: string): Promise<void> => {
    // The server checks the replies, which come from a file.
    if (rehearsal) return rehearsed.begin({ loadout, prompt, ...(rehearsal.replies as { replies: never }) });
    const options: TypedCommandOptions = {
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(command.isTreeInUse ? { anyway: true } : {}),
    };
    const costUsd = dollars.trim() === "" ? {} : { costUsd: Number(dollars) };
    const cast: TypedCommand = { kind: "cast", prompt, ...(loadout === "" ? {} : { loadout }), ...costUsd };
    const castId = await command.run(cast, "Started", { options });
    return castId === null ? undefined : open(castId);
  };
  return {
    start,
    busy: command.busy !== null || rehearsed.busy,
    issues: [...command.issues, ...rehearsed.issues],
    isTreeInUse: command.isTreeInUse,
  };
}

/** The graph of the loadout, what it is for, and what a cast of it may take. */
function ChosenLoadout({ name, model }: { readonly name: string; readonly model: string }): ReactElement {
  const { catalog } = useCatalog();
  const [items, setItems] = useState(5);
  const loadout = catalog?.loadouts.get(name)?.value;
  const hasLoop = Object.keys(loadout?.loops ?? {}).length > 0;
  return (
    <div className={css("new-cast-side")}>
      {catalog && <GraphThumbnail name={name} catalog={catalog} />}
      {loadout?.description !== undefined && <p className={css("secondary")}>{loadout.description}</p>}
      {hasLoop && (
        <label className={css("option")}>
          <span className={css("label")}>{`If it makes ${countedText(items, "work item")}`}</span>
          <input
            type="range"
            min={1}
            max={30}
            value={items}
            onChange={(event) => setItems(Number(event.target.value))}
          />
        </label>
      )}
      <ForecastTable loadout={name} items={hasLoop ? items : null} model={model} />
      <a href={hrefOf("link")}>Join several loadouts or materia…</a>
    </div>
  );
}

function BudgetField({
  value,
  onType,
}: {
  readonly value: string;
  readonly onType: (text: string) => void;
}): ReactElement {
  const { catalog } = useCatalog();
  return (
    <label className={css("option")}>
      <span className={css("label")}>Budget in dollars (optional)</span>
      <span className={css("field")}>
        <input
          inputMode="decimal"
          value={value}
          placeholder={String(catalog?.settings.budget.maxCostUsd ?? "no limit")}
          onChange={(event) => onType(event.target.value)}
        />
      </span>
    </label>
  );
}

const MAX_LAST_REQUESTS = 5;

/** The newest different requests of this project. */
function LastRequests({ onPick }: { readonly onPick: (request: string) => void }): ReactElement | null {
  const { casts } = useCasts();
  const last = [...new Set(casts.slice(0, 50).map(({ request }) => request))].slice(0, MAX_LAST_REQUESTS);
  if (last.length === 0) return null;
  return (
    <details>
      <summary>Last requests</summary>
      <ul>
        {last.map((request) => (
          <li key={request}>
            <button type="button" className={css("request-button cut")} dir="auto" onClick={() => onPick(request)}>
              {request}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function RehearsalPicker(props: {
  readonly picked: PickedReplies | null;
  readonly onPick: (picked: PickedReplies | null) => void;
}): ReactElement {
  const { picked, onPick } = props;
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return onPick(null);
    const parsed = parseJson(await file.text());
    const isReplies = typeof parsed === "object" && parsed !== null && "replies" in parsed;
    const { replies, onEmpty } = (isReplies ? parsed : {}) as { replies?: unknown; onEmpty?: unknown };
    return onPick({
      name: file.name,
      replies: { replies, ...(onEmpty === undefined ? {} : { onEmpty }) },
      fault: isReplies ? null : `${file.name} has no "replies"`,
    });
  };
  return (
    <label className={css("option")}>
      <span className={css("label")}>Rehearsal file, to run without a model (optional)</span>
      <input type="file" accept=".json,application/json" onChange={(event) => void read(event.target.files?.[0])} />
      {picked?.fault != null && <span className={css("tone-bad")}>{picked.fault}</span>}
    </label>
  );
}

/** The forecast of a cast; null without comparable casts. */
function ForecastTable(props: {
  readonly loadout: string;
  readonly items: number | null;
  readonly model: string;
}): ReactElement | null {
  const { loadout, items, model } = props;
  const command: TypedCommand = {
    kind: "forecast",
    loadout,
    ...(items === null ? {} : { items }),
    ...(model === "" ? {} : { model }),
  };
  const { value } = useCommandOutput(loadout === "" ? null : { command }, ForecastResponse);
  if (!value || value.loadout !== loadout) return null;
  const { casts, turns, tokens, cost, seconds, unknown } = value;
  const worst = turns.worst === null ? "" : ` It takes at most ${countedText(turns.worst, "turn")}.`;
  if (casts === 0 || turns.p50 === null)
    return <p className={css("faint")}>{`No estimate yet: fewer than 3 comparable casts.${worst}`}</p>;
  const rows = [
    ["Turns", turns, String],
    ["Tokens", tokens, amountText],
    ["Cost", cost, costText],
    ["Time", seconds, (amount: number) => durationText(amount * 1000)],
  ] as const;
  return (
    <table className={css("forecast")}>
      <caption className={css("faint")}>
        {`Forecast from ${countedText(casts, "past cast")}.${worst}`}
        {unknown.length > 0 && ` No past visits: ${unknown.join(", ")}.`}
      </caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Likely</th>
          <th scope="col">9 of 10 stay below</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, range, text]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{text(range.p50 ?? 0)}</td>
            <td>{text(range.p90 ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
