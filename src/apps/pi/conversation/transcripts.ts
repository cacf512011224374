import { currentItemKey, type CastState } from "../../../core/cast/state/state.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import { materiaOf, socketOf } from "../../../core/compile/graph.ts";
import type { TranscriptMessage } from "../../../core/wire/transcript.ts";
import type { Pi } from "../../../shell/agents/pi/pi.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import type { CastStore } from "../../../shell/store/cast-store.ts";
import type { Conversations } from "./conversations.ts";
import { openTranscriptConversation, type TranscriptConversation } from "./from-transcript.ts";
import { transcriptProgress } from "./progress.ts";

/** [X43] The agents of a cast that another process drives, as far as the disk tells of them. */
export interface TranscriptFollower {
  readonly follow: (step: CastStep) => void;
  /** Takes in what the agents that work now have said until now. */
  readonly read: () => Promise<void>;
  readonly close: () => void;
}

interface FollowOptions {
  readonly pi: Pi;
  readonly store: CastStore;
  readonly cwd: string;
  readonly conversations: Conversations;
  readonly onProgress: (progress: TurnProgress, state: CastState) => void;
  readonly onProblem: (words: string) => void;
}

export function followTranscripts(followed: FollowOptions): TranscriptFollower {
  /** The visit in hand of each cast: of the cast itself, or of its items. */
  const working = new Map<string, TranscriptConversation>();
  const end = (castId: string): void => {
    working.get(castId)?.end();
    working.delete(castId);
  };
  return {
    follow: ({ event, after }) => {
      if (event.type === "visit_completed" || event.type === "cast_ended") end(after.castId);
      if (event.type !== "visit_started") return;
      end(after.castId);
      if (materiaOf(after.graph, socketOf(after.graph, event.socket)).type !== "agent") return;
      working.set(after.castId, addTranscriptConversation(followed, event, after));
    },
    read: async () => void (await Promise.all([...working.values()].map(({ read }) => read()))),
    close: () => {
      for (const conversation of working.values()) conversation.close();
      working.clear();
    },
  };
}

function addTranscriptConversation(
  { pi, store, cwd, conversations, onProgress, onProblem }: FollowOptions,
  { socket, materia, visit }: Extract<CastStep["event"], { type: "visit_started" }>,
  state: CastState,
): TranscriptConversation {
  const { castId } = state;
  const progressOf = transcriptProgress();
  let made: TranscriptConversation | undefined;
  conversations.add({ castId, socket, materia, visit, item: currentItemKey(state), cwd }, (changed) => {
    const reading = {
      pi,
      cwd,
      follow: (wake: () => void) => store.followTranscript(castId, { socket, visit }, wake),
      onMessage: (message: TranscriptMessage) => {
        // What is read of a visit that is over is no news.
        for (const progress of progressOf(message)) if (made?.isWorking()) onProgress(progress, state);
      },
      onProblem,
    };
    made = openTranscriptConversation(reading, changed);
    return made;
  });
  if (!made) throw new Error("a conversation that is added is opened at once");
  return made;
}
