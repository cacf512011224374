import { parseJsonc } from "../../../../../core/edit/text/parse.ts";
import { ScriptedReply } from "../../../../../core/model/rehearsal.ts";
import * as v from "valibot";

/** Replies as they are typed: one per line as JSON, a whole JSON list, or plain words as one reply of text. */
export function parseReplies(text: string): {
  readonly replies: v.InferInput<typeof ScriptedReply>[] | null;
  readonly fault: string | null;
} {
  const trimmed = text.trim();
  if (trimmed === "") return { replies: [], fault: null };
  if (!/^[[{]/.test(trimmed)) return { replies: [{ text: trimmed }], fault: null };
  const whole = parseJsonc(trimmed);
  const list = whole.ok
    ? Array.isArray(whole.value.value)
      ? whole.value.value
      : [whole.value.value]
    : trimmed.split("\n").map((line) => {
        const read = parseJsonc(line);
        return read.ok ? read.value.value : undefined;
      });
  const bad = list.findIndex((reply: unknown) => !v.is(ScriptedReply, reply));
  if (bad === -1) return { replies: list as v.InferInput<typeof ScriptedReply>[], fault: null }; // each has just been looked at
  const hint = 'write { "text": "…" } or { "json": { … } }, one reply per line';
  return { replies: null, fault: `Reply ${bad + 1} cannot be read; ${hint}.` };
}
