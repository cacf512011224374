import { useEffect, useRef } from "react";

/**
 * Keys of a page, as `"ctrl+k"`, `"shift+["`, `"g c"` (one after the other) or `"x"`. The handler may return false
 * to pass the key on. The component mounted last comes first, so that a dialog wins over its page.
 */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

const layers: { readonly map: () => KeyMap }[] = [];
const LETTER_KEYS_OFF = "materia-letter-keys-off";
let pendingPrefix = "";

export function useKeys(map: KeyMap): void {
  const latest = useRef(map);
  useEffect(() => {
    latest.current = map;
  });
  useEffect(() => {
    const layer = { map: () => latest.current };
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** Dialogs have their own Esc and undo. */
export function useKeysOutsideDialogs(map: KeyMap): void {
  const guarded = Object.entries(map).map(([key, act]): [string, KeyMap[string]] => [
    key,
    (event) => (document.querySelector("dialog[open]") ? false : act(event)),
  ]);
  useKeys(Object.fromEntries(guarded));
}

/** Single-letter keys can be turned off: speech input types them by accident. */
export function areLetterKeysOn(): boolean {
  return localStorage.getItem(LETTER_KEYS_OFF) === null;
}

export function setLetterKeys(on: boolean): void {
  if (on) localStorage.removeItem(LETTER_KEYS_OFF);
  else localStorage.setItem(LETTER_KEYS_OFF, "1");
}

export function listenForKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyName(event);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && (isTyping(event.target) || (event.key.length === 1 && !areLetterKeysOn())) && key !== "escape") return;
    if (isSliderKey(event.target, key)) return;
    // While a dialog is open, only its keys count.
    if (document.querySelector("dialog[open]") && key !== "escape" && !key.startsWith("ctrl+")) return;
    const sequence = pendingPrefix === "" ? key : `${pendingPrefix} ${key}`;
    pendingPrefix = "";
    for (const layer of layers.toReversed()) {
      const map = layer.map();
      const handler = map[sequence] ?? map[key];
      if (handler && handler(event) !== false) {
        event.preventDefault();
        return;
      }
      if (Object.keys(map).some((known) => known.startsWith(`${key} `))) pendingPrefix = key;
    }
  });
}

function keyName(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key.toLowerCase().replace("arrow", "");
  const letter = /^[a-z]$/.test(key);
  return [
    ...(event.ctrlKey || event.metaKey ? ["ctrl"] : []),
    ...(event.altKey ? ["alt"] : []),
    // Characters such as ? already imply Shift.
    ...(event.shiftKey && (letter || key.length > 1 || key === "{" || key === "}") ? ["shift"] : []),
    key === " " ? "space" : key,
  ].join("+");
}

/** A slider handles these keys itself. */
function isSliderKey(target: EventTarget | null, key: string): boolean {
  const isSlider = target instanceof HTMLInputElement && target.type === "range";
  return isSlider && ["home", "end", "left", "right", "up", "down", "pageup", "pagedown"].includes(key);
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type);
}
