import * as v from "valibot";
import { useStore } from "../store.ts";
import { openKept } from "./kept.ts";

const Kept = v.object({ text: v.string() });

const texts = openKept<string>("text", {
  write: (text) => (text.trim() === "" ? null : { text }),
  read: (_name, kept) => v.parse(Kept, kept).text,
});

/** A text in a field that outlives its dialog, the page and the server; the empty text forgets it. */
export function useKeptText(name: string, first = ""): readonly [string, (text: string) => void] {
  const text = useStore(texts).get(name) ?? first;
  return [text, (next) => texts.put(name, next)];
}
