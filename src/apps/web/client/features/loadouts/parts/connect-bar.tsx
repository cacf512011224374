import type { ReactElement } from "react";
import type { Condition } from "../../../../../../core/model/loadout.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { useKeys } from "../../../browser/keys.ts";
import type { Connecting } from "../state/use-canvas.ts";
import { useEditor } from "../state/editor.ts";
import { Segments } from "../../../parts/controls/fields.tsx";
import { glyphs } from "../../../parts/marks/words.tsx";
import { classesOf } from "../../../browser/classes.ts";
import overCanvasSheet from "../look/over-canvas.module.css";

const css = classesOf(overCanvasSheet);

type Choice = Condition | "auto";

/** What is being connected, and how; every key has its button. */
export function ConnectBar(props: {
  readonly connecting: Connecting;
  readonly setConnecting: (connecting: Connecting | null) => void;
  readonly onEnd: () => void;
}): ReactElement {
  const { connecting, setConnecting, onEnd } = props;
  const { loadout } = useEditor();
  const { from, when } = connecting;
  const choose = (choice: Choice): void => setConnecting({ from, when: choice === "auto" ? null : choice });
  useKeys({
    "1": () => choose("always"),
    "2": () => choose("satisfied"),
    "3": () => choose("not_satisfied"),
    escape: () => setConnecting(null),
  });
  return (
    <div className={css("connect")} role="group" aria-label={`Connect ${from}`}>
      <span role="status">
        <b>{`${from} ${loadout.sockets[from]?.materia ?? ""}`}</b> leads to… <kbd>{glyphs("↑")}</kbd>{" "}
        <kbd>{glyphs("↓")}</kbd> choose, <kbd>Enter</kbd> connects.
      </span>
      <Segments<Choice>
        label="Condition"
        value={when ?? "auto"}
        options={[
          { value: "auto", label: "fitting" },
          { value: "always", label: "always" },
          { value: "satisfied", label: "✓ satisfied" },
          { value: "not_satisfied", label: "✗ not satisfied" },
        ]}
        onPick={choose}
      />
      <Button
        onClick={() => {
          onEnd();
          setConnecting(null);
        }}
      >
        To end <kbd>0</kbd>
      </Button>
      <Button look="bare" onClick={() => setConnecting(null)}>
        Cancel
      </Button>
    </div>
  );
}
