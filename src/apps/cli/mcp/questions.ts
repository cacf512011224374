import { inputRequired } from "@modelcontextprotocol/server";
import * as v from "valibot";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";

interface CastQuestion {
  /** Names the visit, so that an answer to an earlier question is not taken for this one. */
  readonly key: string;
  readonly text: string;
  /** Whether yes or no is asked; otherwise an agent waits for a message. */
  readonly isGate: boolean;
}

export async function readQuestion(store: CastStore, castId: CastId): Promise<Result<CastQuestion>> {
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const { state } = cast.value;
  if (state.phase.kind !== "waiting" || (await store.owner(castId)) !== undefined)
    return fail(error("not_waiting_for_person", castId, "the cast does not wait for a person"));
  const { visit, reply } = state.phase;
  return ok({ key: `${visit.socket}#${visit.number}`, text: reply, isGate: askedPersonMateria(state) !== undefined });
}

const MAX_QUESTION_CHARS = 4_000;

/** The question as a form for the person. */
export function questionRequest({ text, isGate }: CastQuestion) {
  const message = text.slice(0, MAX_QUESTION_CHARS);
  const requestedSchema = isGate
    ? {
        type: "object" as const,
        properties: {
          approve: { type: "boolean" as const, title: "Yes" },
          message: { type: "string" as const, title: "Reason or message" },
        },
        required: ["approve"],
      }
    : {
        type: "object" as const,
        properties: { message: { type: "string" as const, title: "Answer; leave it empty to take this result" } },
      };
  return inputRequired.elicit({ message, requestedSchema });
}

const AcceptedAnswer = v.object({
  action: v.literal("accept"),
  content: v.object({ approve: v.optional(v.boolean()), message: v.optional(v.string(), "") }),
});
const DeclinedAnswer = v.object({ action: v.picklist(["decline", "cancel"]) });

/** The person's answer; undefined if there is none yet. */
export function readAnswer({ isGate }: CastQuestion, response: unknown) {
  if (v.is(DeclinedAnswer, response)) return "declined";
  const read = v.safeParse(AcceptedAnswer, response);
  if (!read.success || (isGate && read.output.content.approve === undefined)) return undefined;
  const { approve, message } = read.output.content;
  return { text: message.trim(), reject: isGate && approve === false };
}
