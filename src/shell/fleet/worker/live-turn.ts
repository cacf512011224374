import { randomUUID } from "node:crypto";
import type { CastState } from "../../../core/cast/state/state.ts";
import { createProgressQueue, type ProgressQueueLimits, createProgressReporter } from "../../casting/live-progress.ts";
import type { TurnProgress } from "../../ports.ts";
import { redactKeys } from "../../secrets/redact-event.ts";
import { createRedactedStream, createRedactor } from "../../secrets/redact.ts";
import type { Database } from "../../store/postgres/database.ts";
import { deleteLiveTurn, writeLiveTurn } from "../../store/postgres/live-turns.ts";

export interface LiveTurnContext {
  readonly database: Database;
  readonly castId: string;
  readonly workerId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly notify: (castId: string) => void;
}

/** Late followers get only the end of a turn: every write repeats all of it, so it must not grow. */
const LIVE_TURN_LIMITS: ProgressQueueLimits = { characters: 16 * 1024, notes: 100 };
const PUBLISH_MS = 80;

/** [B70] Publishes the output of a cast's agents to its followers on other machines, batched and bounded. */
export function openLiveTurnPublisher({ database, castId, workerId, env, notify: tell }: LiveTurnContext) {
  const notes = createProgressQueue(LIVE_TURN_LIMITS);
  let turn = "";
  let isNew = false;
  let isClosed = false;
  let telling: Promise<void> | undefined;
  const tellAll = async (): Promise<void> => {
    while (isNew) {
      await database.pause(PUBLISH_MS);
      if (isClosed) return;
      isNew = false;
      const now = { turn, gone: notes.removedCount(), notes: [...notes.all()] };
      await writeLiveTurn(database, { castId, workerId }, now).then(
        () => tell(castId),
        () => undefined,
      );
    }
    telling = undefined;
  };
  const onNote = createProgressReporter((note) => {
    if (note.kind === "asked") {
      notes.clear();
      turn = randomUUID();
    }
    notes.push(note);
    isNew = true;
    telling ??= tellAll();
  });
  const redacted = progressRedactor(env);
  return {
    onProgress: (progress: TurnProgress, state: CastState): void => {
      for (const each of redacted(progress)) onNote(each, state);
    },
    close: async (): Promise<void> => {
      isClosed = true;
      await telling;
      await deleteLiveTurn(database, castId).catch(() => undefined);
    },
  };
}

const REDACTED_FIELDS: ReadonlySet<string> = new Set(["args", "said", "error"]);

/** [S16] Redacted before it leaves this machine; text is published once it cannot be part of a secret. */
function progressRedactor(env: LiveTurnContext["env"]): (progress: TurnProgress) => readonly TurnProgress[] {
  const redact = createRedactor(env);
  const streams = { text: createRedactedStream(env), thinking: createRedactedStream(env) };
  const rest = (kind: "text" | "thinking"): readonly TurnProgress[] => {
    const delta = streams[kind].end();
    return delta === "" ? [] : [{ kind, delta }];
  };
  return (progress) => {
    if (progress.kind === "text" || progress.kind === "thinking") {
      const delta = streams[progress.kind].push(progress.delta);
      return delta === "" ? [] : [{ kind: progress.kind, delta }];
    }
    return [...rest("thinking"), ...rest("text"), redactKeys(progress, REDACTED_FIELDS, redact)];
  };
}
