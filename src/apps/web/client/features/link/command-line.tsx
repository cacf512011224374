import type { ReactElement } from "react";
import { Button } from "../../parts/controls/button.tsx";
import { toast } from "../../parts/controls/toasts.tsx";

/** A command as it is typed, to be copied. */
export function CommandLine({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="cmd">
      <code className="grow">{text}</code>
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
