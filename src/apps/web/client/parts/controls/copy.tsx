import type { ReactElement } from "react";
import { Button } from "./button.tsx";
import { toast } from "./toasts.tsx";

/** Copies a text and says so; `what` names it: "Copy the prompt". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): ReactElement {
  return <Button look="bare" icon="copy" label={`Copy ${what}`} onClick={() => void copyText(text, what)} />;
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ text: `Copied ${what}`, tone: "ok" });
  } catch {
    toast({ text: "The browser does not let this page copy.", tone: "bad" });
  }
}
