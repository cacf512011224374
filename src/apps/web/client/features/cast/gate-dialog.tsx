import { useState } from "react";
import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { Dialog } from "../../parts/controls/dialog.tsx";
import { Issues } from "../../parts/marks/issues.tsx";
import type { CastPartProps } from "./state/use-cast-view.ts";
import { useCommand } from "../../data/use-command.ts";

/** [Q8] Yes or no to a gate; a no needs its reason, a yes may have a note. */
export function GateDialog({ cast, view, onClose }: CastPartProps & { readonly onClose: () => void }): ReactElement {
  const [said, setSaid] = useState("");
  const command = useCommand({ quiet: true });
  const { castId } = cast.castFile;
  const text = said.trim();
  const busy = command.busy !== null;
  const answer = async (line: string, done: string): Promise<void> => {
    if ((await command.run(line, done)) !== null) onClose();
  };
  return (
    <Dialog title={`${view.latest.position?.materia ?? "The cast"} asks you`} onClose={onClose}>
      <div className="dlg-b">
        {view.latest.question !== null && <div className="note wait quoted">{view.latest.question}</div>}
        <label className="opt">
          <span className="lb">The reason of a no, or a note beside a yes</span>
          <span className="field">
            <textarea rows={4} value={said} onChange={(event) => setSaid(event.target.value)} />
          </span>
        </label>
        <Issues issues={command.issues} />
      </div>
      <div className="dlg-f">
        <Button
          look="danger"
          busy={busy}
          off={text === "" ? "A no needs a reason" : null}
          onClick={() => void answer(`continue --reject ${castId} ${text}`, "Said no")}
        >
          No
        </Button>
        <Button
          look="primary"
          busy={busy}
          onClick={() => void answer(text === "" ? `continue ${castId}` : `continue ${castId} ${text}`, "Said yes")}
        >
          Yes
        </Button>
      </div>
    </Dialog>
  );
}
