import { useState, type ReactElement } from "react";
import { quoteWord } from "../../../../core/command/words.ts";
import type { ConfigDraft } from "../../../../core/wire/commands.ts";
import { useCommand } from "../data/use-command.ts";
import { useTextDraft } from "../browser/drafts/kept-text.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { ConfirmDialog } from "../parts/controls/dialog.tsx";
import { IssueList } from "../parts/marks/issues.tsx";
import { ModelField } from "./model-field.tsx";
import { RequestField } from "./request-field.tsx";
import { bindClassNames } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = bindClassNames(dialogSheet, controlsSheet, baseSheet);

/** [E28] Casts a loadout as it is in hand, saved or not. */
export function CastLoadoutDialog(props: {
  readonly loadout: string;
  readonly draft: ConfigDraft | null;
  readonly off: string | null;
  readonly onClose: () => void;
}): ReactElement {
  const { loadout, draft, off, onClose } = props;
  const [request, setRequest] = useTextDraft("request");
  const [model, setModel] = useState("");
  const command = useCommand({ quiet: true });
  const start = async (): Promise<void> => {
    const words = [
      `--loadout ${quoteWord(loadout)}`,
      ...(model.trim() === "" ? [] : [`--model ${quoteWord(model.trim())}`]),
      ...(command.isTreeInUse ? ["--anyway"] : []),
    ];
    const text = `cast ${words.join(" ")} -- ${request.trim()}`;
    const castId = await command.run(text, "Started", draft ? { draft } : {});
    if (castId === null) return;
    setRequest("");
    onClose();
    navigate(hrefOf("casts", castId));
  };
  return (
    <ConfirmDialog
      title={`Cast ${loadout}`}
      action={command.isTreeInUse ? "Cast all the same" : "Cast"}
      keepsText
      busy={command.busy !== null}
      off={off ?? (request.trim() === "" ? "Write what is to be done" : null)}
      onClose={onClose}
      onAct={() => void start()}
    >
      {draft && <p className={css("secondary")}>It is cast as you see it. Its file stays as it is until you save.</p>}
      <RequestField value={request} onType={setRequest} />
      <ModelField value={model} onType={setModel} />
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}
