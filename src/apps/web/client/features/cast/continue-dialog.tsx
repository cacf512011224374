import { useState } from "react";
import type { ReactElement } from "react";
import { Ask } from "../../parts/controls/dialog.tsx";
import { Issues } from "../../parts/marks/issues.tsx";
import type { CastPartProps } from "./state/use-cast-view.ts";
import { useCommand } from "../../data/use-command.ts";
import { classesOf } from "../../browser/classes.ts";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";
import castSheet from "./cast.module.css";

const css = classesOf(castSheet, dialogSheet, controlsSheet, marksSheet);

/** An answer for the agent that waits, or none: then its result is taken as it is. */
export function ContinueDialog({
  cast,
  view,
  onClose,
}: CastPartProps & { readonly onClose: () => void }): ReactElement {
  const [message, setMessage] = useState("");
  const command = useCommand({ quiet: true });
  const { castId } = cast.castFile;
  const text = message.trim();
  const go = async (): Promise<void> => {
    const line = text === "" ? `continue ${castId}` : `continue ${castId} ${text}`;
    const done = await command.run(line, "Continued", { trust: command.isForeign });
    if (done !== null) onClose();
  };
  return (
    <Ask
      title={`${view.latest.position?.materia ?? "The cast"} waits for you`}
      action={command.isForeign ? "Trust this cast and go on" : text === "" ? "Take the result and go on" : "Answer"}
      busy={command.busy !== null}
      onClose={onClose}
      onAct={() => void go()}
    >
      {view.latest.question !== null && <div className={css("note waiting-tone quoted")}>{view.latest.question}</div>}
      <label className={css("option")}>
        <span className={css("label")}>Your answer; leave it empty to take the result as it is</span>
        <span className={css("field")}>
          <textarea
            rows={4}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </span>
      </label>
      <Issues issues={command.issues} />
    </Ask>
  );
}
