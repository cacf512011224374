import { randomUUID } from "node:crypto";
import type { CastState } from "../../../core/cast/state/state.ts";
import { noteQueue, type Room } from "../../casting/live/note-queue.ts";
import { noteTeller } from "../../casting/live/notes.ts";
import type { TurnProgress } from "../../ports.ts";
import { redactKeys } from "../../secrets/events.ts";
import { redactedStream, redactor } from "../../secrets/redact.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { forgetTurn, writeTurn } from "../../store/postgres/live.ts";

/** What the agents of a cast do right now, told to whoever follows it elsewhere. */
export interface LiveTurn {
  readonly onProgress: (progress: TurnProgress, state: CastState) => void;
  /** Nothing of it stays. */
  readonly close: () => Promise<void>;
}

export interface LiveTurnPlace {
  readonly database: Database;
  readonly castId: string;
  readonly workerId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (castId: string) => void;
}

/** Who comes late gets the end of a turn: each telling writes all of it, so it may not grow with what was said. */
const ROOM: Room = { characters: 16 * 1024, notes: 100 };
const EVERY_MS = 80;

/** [B27] Gathered and bounded; what is lost of it stands in the journal when the turn ends. */
export function openLiveTurn({ database, castId, workerId, env, tell }: LiveTurnPlace): LiveTurn {
  const notes = noteQueue(ROOM);
  let turn = "";
  let isNew = false;
  let isClosed = false;
  let telling: Promise<void> | undefined;
  const tellAll = async (): Promise<void> => {
    while (isNew) {
      await database.pause(EVERY_MS);
      if (isClosed) return;
      isNew = false;
      const now = { turn, gone: notes.gone(), notes: [...notes.all()] };
      await writeTurn(database, { castId, workerId }, now).then(
        () => tell(castId),
        () => undefined,
      );
    }
    telling = undefined;
  };
  const onNote = noteTeller((note) => {
    if (note.kind === "asked") {
      notes.clear();
      turn = randomUUID();
    }
    notes.push(note);
    isNew = true;
    telling ??= tellAll();
  });
  const redacted = redactedProgress(env);
  return {
    onProgress: (progress, state) => {
      for (const each of redacted(progress)) onNote(each, state);
    },
    close: async () => {
      isClosed = true;
      await telling;
      await forgetTurn(database, castId).catch(() => undefined);
    },
  };
}

const WORDS: ReadonlySet<string> = new Set(["args", "said", "error"]);

/** [S7] Before it leaves this machine; text is said as soon as it is known to be no part of a secret. */
function redactedProgress(env: LiveTurnPlace["env"]): (progress: TurnProgress) => readonly TurnProgress[] {
  const redact = redactor(env);
  const streams = { text: redactedStream(env), thinking: redactedStream(env) };
  const rest = (kind: "text" | "thinking"): readonly TurnProgress[] => {
    const delta = streams[kind].end();
    return delta === "" ? [] : [{ kind, delta }];
  };
  return (progress) => {
    if (progress.kind === "text" || progress.kind === "thinking") {
      const delta = streams[progress.kind].push(progress.delta);
      return delta === "" ? [] : [{ kind: progress.kind, delta }];
    }
    return [...rest("thinking"), ...rest("text"), redactKeys(progress, WORDS, redact)];
  };
}
