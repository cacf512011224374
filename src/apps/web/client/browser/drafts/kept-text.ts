import * as v from "valibot";
import { useStore } from "../store.ts";
import { createDraftStore } from "./kept.ts";

const StoredText = v.object({ text: v.string() });

const textDrafts = createDraftStore<string>("text", {
  write: (text) => (text.trim() === "" ? null : { text }),
  read: (_name, kept) => v.parse(StoredText, kept).text,
});

/** A text in a field that outlives its dialog, the page and the server; the empty text forgets it. */
export function useTextDraft(name: string, first = ""): readonly [string, (text: string) => void] {
  const text = useStore(textDrafts).get(name) ?? first;
  return [text, (next) => textDrafts.put(name, next)];
}
