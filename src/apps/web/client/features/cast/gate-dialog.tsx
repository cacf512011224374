import { useState } from "react";
import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { Issues } from "../../parts/marks/issues.tsx";
import type { CastPartProps } from "./state/use-cast-view.ts";
import { useCommand } from "../../data/use-command.ts";
import { classesOf } from "../../browser/classes.ts";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";
import castSheet from "./cast.module.css";

const css = classesOf(castSheet, dialogSheet, controlsSheet, marksSheet);

/** [Q8] Yes or no to a gate; a no needs its reason, a yes may have a note. */
export function GateDialog({ cast, view, onClose }: CastPartProps & { readonly onClose: () => void }): ReactElement {
  const [said, setSaid] = useState("");
  const command = useCommand({ quiet: true });
  const { castId } = cast.castFile;
  const text = said.trim();
  const busy = command.busy !== null;
  const answer = async (line: string, done: string): Promise<void> => {
    if ((await command.run(line, done, { trust: command.isForeign })) !== null) onClose();
  };
  return (
    <Dialog title={`${view.latest.position?.materia ?? "The cast"} asks you`} onClose={onClose}>
      <div className={css("dialog-body")}>
        {view.latest.question !== null && <div className={css("note waiting-tone quoted")}>{view.latest.question}</div>}
        <label className={css("option")}>
          <span className={css("label")}>The reason of a no, or a note beside a yes</span>
          <span className={css("field")}>
            <textarea rows={4} value={said} onChange={(event) => setSaid(event.target.value)} />
          </span>
        </label>
        <Issues issues={command.issues} />
      </div>
      <div className={css("dialog-foot")}>
        <Button
          look="danger"
          busy={busy}
          off={text === "" ? "A no needs a reason" : null}
          onClick={() => void answer(`continue --reject ${castId} ${text}`, "Said no")}
        >
          {command.isForeign ? "Trust this cast and say no" : "No"}
        </Button>
        <Button
          look="primary"
          busy={busy}
          onClick={() => void answer(text === "" ? `continue ${castId}` : `continue ${castId} ${text}`, "Said yes")}
        >
          {command.isForeign ? "Trust this cast and say yes" : "Yes"}
        </Button>
      </div>
    </Dialog>
  );
}
