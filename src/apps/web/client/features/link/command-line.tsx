import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { toast } from "../../parts/controls/toasts.tsx";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import linkSheet from "./link.module.css";

const css = classesOf(linkSheet, marksSheet, baseSheet);

/** A command as it is typed, to be copied. */
export function CommandLine({ text }: { readonly text: string }): ReactElement {
  return (
    <div className={css("command-line")}>
      <code className={css("grow")}>{text}</code>
      <Button
        icon="copy"
        label="Copy command"
        onClick={() => {
          void navigator.clipboard.writeText(text);
          toast({ text: "The command is copied.", tone: "ok" });
        }}
      />
    </div>
  );
}
