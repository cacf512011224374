import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../../../../core/cast/state/usage.ts";
import { pendingUsageAfter } from "../../../../../../core/view/now/used.ts";
import type { AgentProgress } from "../../../../../../core/wire/stream.ts";
import type { TranscriptBlock, ToolCallBlock } from "./blocks.ts";

/** What the agent of the visit in hand has said and done so far. */
export interface ProgressLog {
  readonly push: (note: AgentProgress) => void;
  readonly clear: () => void;
  /** An event of the journal: what it counts is not counted here any more. */
  readonly applyEvent: (event: CastEvent) => void;
  /** What the turn in hand has used so far. */
  readonly turnUsage: () => Usage;
  readonly blocksOf: (socket: string, visit: number) => readonly TranscriptBlock[];
  /** In a few words, for the bar at the bottom of a small screen. */
  readonly activityText: () => string;
}

function updateTool(blocks: readonly TranscriptBlock[], id: string, part: Partial<ToolCallBlock>): TranscriptBlock[] {
  return blocks.map((block) => (block.kind === "tool" && block.id === id ? { ...block, ...part } : block));
}

export function createProgressLog(): ProgressLog {
  let place = "";
  let blocks: TranscriptBlock[] = [];
  let used = NO_USAGE;
  const begin = (next: string): void => {
    place = next;
    blocks = [];
  };
  const push = (note: AgentProgress): void => {
    const at = `${note.socket} ${note.visit}`;
    if (at !== place) begin(at);
    switch (note.kind) {
      case "asked":
        return;
      case "used":
        used = note.usage;
        return;
      case "text":
      case "thinking": {
        const last = blocks.at(-1);
        if (last?.kind === note.kind) blocks = [...blocks.slice(0, -1), { ...last, text: last.text + note.delta }];
        else blocks = [...blocks, { kind: note.kind, text: note.delta }];
        return;
      }
      case "tool_started":
        blocks = [
          ...blocks,
          { kind: "tool", id: note.id, name: note.name, args: note.args, result: null, failed: false },
        ];
        return;
      case "tool_said":
        blocks = updateTool(blocks, note.id, { partialResult: note.said });
        return;
      case "tool_ended":
        blocks = updateTool(blocks, note.id, { failed: note.failed, result: note.said });
        return;
      case "retrying":
        blocks = [...blocks, { kind: "note", text: `Trying again: ${note.error}` }];
    }
  };
  return {
    push,
    clear: () => begin(""),
    applyEvent: (event) => {
      used = pendingUsageAfter(used, event);
    },
    turnUsage: () => used,
    blocksOf: (socket, visit) => (place === `${socket} ${visit}` ? blocks : []),
    activityText: () => {
      const last = blocks.at(-1);
      if (!last) return "working";
      return last.kind === "tool" ? `running ${last.name}` : last.kind === "thinking" ? "thinking" : "writing";
    },
  };
}
