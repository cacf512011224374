import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { toast } from "../../parts/controls/toasts.tsx";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import linkSheet from "./link.module.css";

const commandLineCss = bindClassNames(linkSheet, marksSheet, baseSheet);

/** A command as it is typed, to be copied. */
export function CopyableCommand({ text }: { readonly text: string }): ReactElement {
  return (
    <div className={commandLineCss("command-line")}>
      <code className={commandLineCss("grow")}>{text}</code>
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
