import { type ReactElement, useState } from "react";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { useCommand } from "../data/use-command.ts";
import { ModelField } from "../dialogs/cast-fields.tsx";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import castSheet from "./cast.module.css";

const css = bindSheets(castSheet);

/** [Z11] Who refuses and how long, and how to continue before that. */
export function SleepBanner({ cast, view }: CastPanelProps): ReactElement | null {
  const [model, setModel] = useState("");
  const command = useCommand();
  const { asleep, status } = view.latest;
  if (!asleep || view.at !== null) return null;
  const { castId } = cast.castFile;
  const named = model.trim();
  const wake = (): void => {
    const options = named === "" ? {} : { options: { model: named } };
    void command.run({ kind: "recast", castId }, "Woken", options);
  };
  return (
    <div className={css("cast-reason note waiting-tone")} role="status">
      <p>
        <b>{`${asleep.text}. `}</b>
        <span>
          {status === "sleeping" ? "It goes on by itself; nothing is lost." : "It is paused; nothing is lost."}
        </span>
      </p>
      <div className={css("actions")}>
        <ModelField named="Another model" value={model} onType={setModel} />
        <Button busy={command.busy !== null} onClick={wake}>
          {named === "" ? "Wake now" : "Use this model"}
        </Button>
      </div>
    </div>
  );
}
