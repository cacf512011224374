import type { SocketId } from "../../model/ids.ts";
import type { Usage } from "../../cast/state/usage.ts";

/** A tool that an agent used, and what came of it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** Null where nothing came back: the visit was cut off. */
  readonly failed: boolean | null;
  readonly said: string;
}

/** One answer of an agent with the tools that it used on the way. */
export interface ReplyWithTools {
  readonly tools: readonly ToolCall[];
  readonly text: string;
}

/** [C39] What a visit left besides its events. */
export interface VisitDetail {
  readonly socket: SocketId;
  readonly visit: number;
  /** Who answered, as `provider/id`; null where nobody was asked. */
  readonly model: string | null;
  readonly usage: Usage;
  readonly replies: readonly ReplyWithTools[];
  /** What the agent was told, or the program was given; null where it was not kept. */
  readonly prompt: string | null;
  /** What a program printed. */
  readonly stdout: string | null;
  readonly stderr: string | null;
}

export function toolCallsOf({ replies }: Pick<VisitDetail, "replies">): readonly ToolCall[] {
  return replies.flatMap(({ tools }) => tools);
}

/** The first thing that a tool was told: a path, a command, a pattern. */
export function firstArgumentText({ arguments: given }: ToolCall): string {
  if (typeof given !== "object" || given === null) return "";
  const values = Object.values(given).filter((value) => typeof value === "string" || typeof value === "number");
  return values.length === 0 ? "" : String(values[0]);
}

/** `a/b`, or which materia asked whom where there were several. */
export function modelsText(asked: readonly { readonly materia: string; readonly model: string }[]): string {
  const models = new Map<string, Set<string>>();
  for (const { materia, model } of asked) models.set(model, (models.get(model) ?? new Set()).add(materia));
  if (models.size <= 1) return [...models.keys()].map(modelText).join("");
  return [...models].map(([model, materia]) => `${modelText(model)} (${[...materia].join(", ")})`).join(", ");
}

const REHEARSAL = "rehearsal/";

export function modelText(model: string): string {
  return model.startsWith(REHEARSAL) ? "none, the replies come from a file" : model;
}
