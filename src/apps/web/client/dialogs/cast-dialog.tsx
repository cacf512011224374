import { useState, type ReactElement } from "react";
import { quoteWord } from "../../../../core/command/words.ts";
import type { ConfigDraft } from "../../../../core/wire/commands.ts";
import { useCommand } from "../data/use-command.ts";
import { useKeptText } from "../browser/drafts/kept-text.ts";
import { go, hrefOf } from "../browser/route.ts";
import { AskDialog } from "../parts/controls/dialog.tsx";
import { Issues } from "../parts/marks/issues.tsx";
import { ModelField } from "./model-field.tsx";
import { RequestField } from "./request-field.tsx";
import { classesOf } from "../browser/classes.ts";
import baseSheet from "../ground/base.module.css";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, controlsSheet, baseSheet);

/** [E28] Casts a loadout as it is in hand, saved or not. */
export function CastDialog(props: {
  readonly loadout: string;
  readonly draft: ConfigDraft | null;
  readonly off: string | null;
  readonly onClose: () => void;
}): ReactElement {
  const { loadout, draft, off, onClose } = props;
  const [request, setRequest] = useKeptText("request");
  const [model, setModel] = useState("");
  const command = useCommand({ quiet: true });
  const start = async (): Promise<void> => {
    const words = [
      `--loadout ${quoteWord(loadout)}`,
      ...(model.trim() === "" ? [] : [`--model ${quoteWord(model.trim())}`]),
      ...(command.isBusyTree ? ["--anyway"] : []),
    ];
    const text = `cast ${words.join(" ")} -- ${request.trim()}`;
    const castId = await command.run(text, "Started", draft ? { draft } : {});
    if (castId === null) return;
    setRequest("");
    onClose();
    go(hrefOf("casts", castId));
  };
  return (
    <AskDialog
      title={`Cast ${loadout}`}
      action={command.isBusyTree ? "Cast all the same" : "Cast"}
      keepsText
      busy={command.busy !== null}
      off={off ?? (request.trim() === "" ? "Write what is to be done" : null)}
      onClose={onClose}
      onAct={() => void start()}
    >
      {draft && <p className={css("secondary")}>It is cast as you see it. Its file stays as it is until you save.</p>}
      <RequestField value={request} onType={setRequest} />
      <ModelField value={model} onType={setModel} />
      <Issues issues={command.issues} />
    </AskDialog>
  );
}
