import type { ReactElement } from "react";
import { classesOf } from "../browser/classes.ts";
import controlsSheet from "../parts/controls/controls.module.css";
import dialogSheet from "../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, controlsSheet);

/** What a cast is asked for; Ctrl+Enter starts it. */
export function RequestField(props: {
  readonly value: string;
  readonly onType: (request: string) => void;
}): ReactElement {
  const { value, onType } = props;
  return (
    <label className={css("option")}>
      <span className={css("label")}>Request</span>
      <span className={css("field")}>
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
