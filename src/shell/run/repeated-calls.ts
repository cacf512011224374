import type { TurnProgress } from "../ports.ts";

/** [Z15] How often in a row the agent made the same call and got the same result: a circle would use up its budget for nothing. */
export function countRepeatedCalls() {
  const open = new Map<string, string>();
  let last = "";
  let count = 0;
  return {
    count: (): number => count,
    onProgress: (progress: TurnProgress): void => {
      if (progress.kind === "tool_started")
        open.set(progress.id, JSON.stringify([progress.name, progress.args]).slice(0, MAX_CALL_CHARS));
      if (progress.kind !== "tool_ended") return;
      const call = `${open.get(progress.id) ?? progress.name}\n${progress.said.slice(0, MAX_CALL_CHARS)}`;
      open.delete(progress.id);
      count = call === last ? count + 1 : 1;
      last = call;
    },
  };
}

/** Longer calls that differ only behind this count as the same. */
const MAX_CALL_CHARS = 20_000;
