import type { CastState, CastPhase } from "../../../core/cast/state/state.ts";
import { truncate } from "../../../core/model/values/text.ts";
import { NO_USAGE } from "../../../core/cast/state/usage.ts";
import type { AgentProgress } from "../../../core/wire/stream.ts";
import type { TurnProgress } from "../../ports.ts";

const MAX_ARGUMENT_CHARS = 2_000;
const MAX_OUTPUT_CHARS = 8_000;

/** The end of what a tool said: it may say as much as it likes, and the transcript has all of it. */
export function tailOfOutput(said: string): string {
  return said.length > MAX_OUTPUT_CHARS ? `…${said.slice(-MAX_OUTPUT_CHARS)}` : said;
}

/** Progress with its place, and text with what came before it in the same turn. */
export function createProgressReporter(tell: (note: AgentProgress) => void): (progress: TurnProgress, state: CastState) => void {
  const before = { text: 0, thinking: 0 };
  return (progress, state) => {
    const place = visitPlace(state.phase);
    if (!place) return;
    switch (progress.kind) {
      case "told":
        before.text = 0;
        before.thinking = 0;
        return tell({ ...place, kind: "asked" });
      case "text":
      case "thinking":
        tell({ ...place, kind: progress.kind, from: before[progress.kind], delta: progress.delta });
        before[progress.kind] += progress.delta.length;
        return undefined;
      case "tool_started":
        return tell({ ...place, ...progress, args: shortenArguments(progress.args) });
      case "tool_said":
      case "tool_ended":
        return tell({ ...place, ...progress, said: tailOfOutput(progress.said) });
      case "used":
      case "retrying":
        return tell({ ...place, ...progress });
      case "tools_over":
        return undefined;
    }
  };
}

function visitPlace(phase: CastPhase): { socket: string; visit: number } | undefined {
  return phase.kind === "visiting" ? { socket: phase.visit.socket, visit: phase.visit.number } : undefined;
}

/** A tool may be given a whole file; the transcript has all of it. */
function shortenArguments(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, shortenValue(value)]));
}

function shortenValue(value: unknown): unknown {
  if (typeof value === "string") return truncate(value, MAX_ARGUMENT_CHARS);
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_ARGUMENT_CHARS ? truncate(text, MAX_ARGUMENT_CHARS) : value;
}

/** What a note says of a turn, for who was not there; what the agent was told goes with no note. */
export function turnProgressFrom(note: AgentProgress): TurnProgress {
  switch (note.kind) {
    case "asked":
      return { kind: "told", system: "" };
    case "text":
    case "thinking":
      return { kind: note.kind, delta: note.delta };
    case "tool_started":
      return { kind: "tool_started", id: note.id, name: note.name, args: note.args };
    case "tool_said":
      return { kind: "tool_said", id: note.id, said: note.said };
    case "tool_ended":
      return { kind: "tool_ended", id: note.id, name: note.name, failed: note.failed, said: note.said };
    case "used":
      return { kind: "used", usage: { ...NO_USAGE, ...note.usage } };
    case "retrying":
      return { kind: "retrying", attempt: note.attempt, delayMs: note.delayMs, error: note.error };
  }
}

/** What was said of a visit that is over is not said of the next. */
export function belongsToVisit({ socket, visit }: AgentProgress, { phase }: CastState): boolean {
  return phase.kind === "visiting" && phase.visit.socket === socket && phase.visit.number === visit;
}
