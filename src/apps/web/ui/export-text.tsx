import type { ReactElement } from "react";
import { Button } from "./buttons.tsx";
import { toast } from "./toasts.tsx";

/** Copies a text and shows a notice; `what` names it: "Copy the prompt". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): ReactElement {
  return <Button look="bare" icon="copy" label={`Copy ${what}`} onClick={() => void copyText(text, what)} />;
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ text: `Copied ${what}`, tone: "ok" });
  } catch {
    toast({ text: "The browser does not allow copying.", tone: "bad" });
  }
}

/** Downloads a text as a file. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
