import { useState, type ReactElement, useMemo } from "react";
import { useCatalog } from "../data/use-catalog.ts";
import { useCommand } from "../data/use-command.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { copyText } from "../ui/export-text.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { ForkDialog, FORK_NOT_ON_FLEET } from "../cast-visit/fork-dialog.tsx";
import { statusText } from "../../../core/view/cast-list.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import type { WatchedCast } from "../cast-replay/use-cast.ts";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import controlsSheet from "../ui/controls.module.css";
import dialogSheet from "../ui/dialog.module.css";
import type { Issue } from "../../../core/model/issue.ts";
import type { TypedCommand } from "../../../core/wire/commands.ts";
import { RecordedTest } from "../../../core/wire/testing.ts";
import { fetchCommandOutput } from "../net/api.ts";
import { Switch, TextField } from "../ui/fields.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";

const css = bindClassNames(dialogSheet, controlsSheet, baseSheet);

/** Further actions on a cast in any status. */
export function CastMenu({ cast, view }: CastPanelProps): ReactElement {
  const [dialog, setDialog] = useState<"again" | "record" | "compare" | null>(null);
  const { castId } = cast.castFile;
  const { fleet } = useCatalog();
  const command = useCommand();
  const [first] = view.allVisits;
  const close = (): void => setDialog(null);
  const { status } = view.latest;
  const unfinished = status === "running" || status === "aborted" || status === "interrupted";
  return (
    <>
      <Menu
        label="More"
        items={[
          {
            label: "Run again…",
            act: () => setDialog("again"),
            off: fleet !== null ? FORK_NOT_ON_FLEET : first ? null : "Nothing has run yet",
          },
          ...(fleet === null
            ? []
            : [
                {
                  label: "Take home as a branch",
                  act: () => void command.run({ kind: "take", castId }, "Taken home"),
                },
              ]),
          {
            label: "Record as a test…",
            act: () => setDialog("record"),
            off: unfinished ? "Only a cast that ended can be recorded" : null,
          },
          { label: "Compare with…", act: () => setDialog("compare") },
          { label: "Find in this cast…", act: () => navigate(hrefOf("find", undefined, { cast: castId })) },
          { label: "Copy the link", act: () => void copyText(location.href, "the link") },
          ...notificationMenuItems(),
          { label: "Copy the cast id", act: () => void copyText(castId, "the cast id") },
        ]}
      />
      {dialog === "again" && first && <ForkDialog cast={cast} visit={first} onClose={close} />}
      {dialog === "record" && <RecordTestDialog castId={castId} onClose={close} />}
      {dialog === "compare" && <CompareCastsDialog cast={cast} onClose={close} />}
    </>
  );
}

/** Ask for permission only on request; afterwards the browser's settings decide. */
function notificationMenuItems(): readonly MenuItem[] {
  if (typeof Notification === "undefined" || Notification.permission !== "default") return [];
  return [{ label: "Notify me about casts", act: () => void Notification.requestPermission() }];
}

/** Browsers search a long list by typing. */
const MAX_LISTED_CASTS = 500;

/** Chooses the cast to compare with; casts of the same loadout come first. */
function CompareCastsDialog({
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
function RecordTestDialog({
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
