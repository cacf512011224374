import type { CastStatus, CastSummary } from "../../../core/cast/summary.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Issue, Result } from "../../../core/model/issue.ts";
import { truncateMiddle } from "../../../core/model/text.ts";
import { issueJson, issueLines } from "../../../core/view/issues.ts";
import { plainText } from "../../../core/view/line.ts";
import type { CommandOutput } from "../../../shell/commands/command-output.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";

export interface ToolResult extends Record<string, unknown> {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** [MC5] A longer text would fill the context of the model that reads it. */
const MAX_TEXT_CHARS = 40_000;
const TEXT_WIDTH = 100;

export function outputResult(output: Result<CommandOutput>): ToolResult {
  if (!output.ok) return refusalResult(output.issues);
  const { code, data, lines } = output.value;
  // Large values are in the text, or can be read as a resource.
  const bounded = JSON.stringify(data).length > MAX_TEXT_CHARS ? { cut: true } : data;
  return toolResult(plainText(lines(TEXT_WIDTH)), bounded, code !== 0);
}

export function refusalResult(issues: readonly Issue[]): ToolResult {
  return toolResult(plainText(issueLines(issues)), { issues: issues.map(issueJson) }, true);
}

function toolResult(text: string, data: unknown, isError: boolean): ToolResult {
  const half = MAX_TEXT_CHARS / 2;
  const cut = text.length > MAX_TEXT_CHARS ? truncateMiddle(text, { beginning: half, end: half }) : text;
  const structured = typeof data === "object" && data !== null && !Array.isArray(data) ? data : { value: data };
  return {
    content: [{ type: "text", text: cut }],
    structuredContent: { ...structured },
    ...(isError ? { isError } : {}),
  };
}

const RUNNING: ReadonlySet<CastStatus> = new Set(["running", "sleeping", "queued"]);

/** [MC2] Waits until a cast no longer runs, or until the time is over. Calls back with every change. */
export async function waitForCast(
  store: CastStore,
  castId: CastId,
  { ms, signal, onChange }: { ms: number; signal: AbortSignal; onChange: (summary: CastSummary) => void },
): Promise<CastSummary | undefined> {
  const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
  let summary: CastSummary | undefined;
  let working: Promise<void> | undefined;
  let changes = 0;
  const readAll = async (): Promise<void> => {
    let isOwned = false;
    for (let seen = -1, before; seen !== changes || (summary?.status === "interrupted" && before !== "interrupted");) {
      seen = changes;
      before = summary?.status;
      summary = await store.summary(castId);
      // An answered cast counts as waiting until its process has written the answer. After an end the process still has the
      // working tree for a moment, and a new cast would be refused.
      isOwned = (await store.owner(castId)) !== undefined;
    }
    // Only the newest summary counts. One whose owner leaves between two reads looks interrupted: read it again.
    if (summary && (isOwned || RUNNING.has(summary.status))) onChange(summary);
    else finish();
  };
  const look = (): void => {
    changes += 1;
    working ??= readAll().finally(() => (working = undefined));
  };
  const timer = setTimeout(finish, ms);
  signal.addEventListener("abort", () => finish(), { once: true });
  const stops = [store.onCastChange(castId, look), store.onOwnerChange(castId, look)];
  look();
  if (signal.aborted) finish();
  await isOver;
  clearTimeout(timer);
  for (const stop of stops) stop();
  await working;
  return summary;
}
