import type { ReactElement } from "react";
import { createStore, useStore } from "../browser/store.ts";
import { Button } from "./buttons.tsx";
import { bindSheets } from "./classes.ts";
import toastsSheet from "./toasts.module.css";

const css = bindSheets(toastsSheet);

export interface Toast {
  readonly text: string;
  readonly tone?: "ok" | "bad" | "plain";
  readonly action?: { readonly label: string; readonly act: () => void };
}

const TOAST_CLASSES = { ok: "toast-good", bad: "toast-bad", plain: "" } as const;
const TOAST_DURATION_MS = 6_000;
const shownToasts = createStore<readonly (Toast & { readonly key: number })[]>([]);
let lastKey = 0;

/** Shows a short notice. Errors stay until they are closed. */
export function toast(news: Toast): void {
  lastKey += 1;
  const key = lastKey;
  shownToasts.set([...shownToasts.get().slice(-3), { ...news, key }]);
  if (news.tone !== "bad") setTimeout(() => closeToast(key), TOAST_DURATION_MS);
}

function closeToast(key: number): void {
  shownToasts.set(shownToasts.get().filter((each) => each.key !== key));
}

export function ToastList(): ReactElement {
  const all = useStore(shownToasts);
  return (
    <div className={css("toasts")} role="status" aria-live="polite">
      {all.map(({ key, text, tone = "plain", action }) => (
        <div key={key} className={css(`toast ${TOAST_CLASSES[tone]}`)}>
          <span className={css("grow")}>{text}</span>
          {action && (
            <Button
              onClick={() => {
                action.act();
                closeToast(key);
              }}
            >
              {action.label}
            </Button>
          )}
          <Button look="bare" icon="cross" label="Close" onClick={() => closeToast(key)} />
        </div>
      ))}
    </div>
  );
}

/** Copies a text and shows a notice; `what` names it: "Copy the prompt". */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): ReactElement {
  return <Button look="bare" icon="copy" label={`Copy ${what}`} onClick={() => void copyText(text, what)} />;
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ text: `Copied ${what}`, tone: "ok" });
  } catch {
    toast({ text: "The browser did not allow the copy. Select the text and copy it.", tone: "bad" });
  }
}

export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
