import type { Cast } from "../cast.ts";
import type { Said } from "./reply.ts";

/** [R1] Why a `not_satisfied` way was taken: the context, else the beginning of the output. */
export function reasonOf(when: string, { handoff, excerpt }: Said): { readonly reason?: string } {
  if (when !== "not_satisfied") return {};
  const context = handoff.context?.trim() ? handoff.context : undefined;
  return { reason: context ?? excerpt.slice(0, 900) };
}

/** [R6] A hint stands before the reason, and before what was handed on. */
export function hinted(cast: Cast, said: Said, hint: string): Said {
  const { text } = cast.handed;
  cast.handed = { ...cast.handed, text: text.trim() === "" ? "" : `${hint}\n\n${text}` };
  const context = `${hint}\n\n${reasonOf("not_satisfied", said).reason}`;
  return { ...said, handoff: { ...said.handoff, context } };
}
