import type { ReactElement } from "react";
import { bindClassNames } from "../browser/classes.ts";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const requestFieldCss = bindClassNames(dialogSheet, controlsSheet);

/** What a cast is asked for; Ctrl+Enter starts it. */
export function RequestField(props: {
  readonly value: string;
  readonly onType: (request: string) => void;
}): ReactElement {
  const { value, onType } = props;
  return (
    <label className={requestFieldCss("option")}>
      <span className={requestFieldCss("label")}>Request</span>
      <span className={requestFieldCss("field")}>
        <textarea
          data-first
          rows={4}
          value={value}
          placeholder="What is to be done"
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
      </span>
    </label>
  );
}
