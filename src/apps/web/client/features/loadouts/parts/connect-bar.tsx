import type { ReactElement } from "react";
import type { Condition } from "../../../../../../core/model/loadout.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { useKeys } from "../../../browser/keys.ts";
import type { PendingConnection } from "../state/use-canvas.ts";
import { useEditor } from "../state/editor.ts";
import { SegmentedControl } from "../../../parts/controls/fields.tsx";
import { renderSymbols } from "../../../parts/marks/words.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import overCanvasSheet from "../look/over-canvas.module.css";

const connectBarCss = bindClassNames(overCanvasSheet);

type ConditionChoice = Condition | "auto";

/** What is being connected, and how; every key has its button. */
export function ConnectBar(props: {
  readonly connecting: PendingConnection;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly onEnd: () => void;
}): ReactElement {
  const { connecting, setConnecting, onEnd } = props;
  const { loadout } = useEditor();
  const { from, when } = connecting;
  const choose = (choice: ConditionChoice): void => setConnecting({ from, when: choice === "auto" ? null : choice });
  useKeys({
    "1": () => choose("always"),
    "2": () => choose("satisfied"),
    "3": () => choose("not_satisfied"),
    escape: () => setConnecting(null),
  });
  return (
    <div className={connectBarCss("connect")} role="group" aria-label={`Connect ${from}`}>
      <span role="status">
        <b>{`${from} ${loadout.sockets[from]?.materia ?? ""}`}</b> leads to… <kbd>{renderSymbols("↑")}</kbd>{" "}
        <kbd>{renderSymbols("↓")}</kbd> choose, <kbd>Enter</kbd> connects.
      </span>
      <SegmentedControl<ConditionChoice>
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
