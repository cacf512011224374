import type { CastState, Phase } from "../../../../core/cast/state/state.ts";
import { error, fail, ok } from "../../../../core/model/issue.ts";
import type { Result } from "../../../../core/model/issue.ts";
import { cut } from "../../../../core/model/values/text.ts";
import type { Progress } from "../../../../core/wire/stream.ts";
import type { PreparedCast } from "../../../../shell/commands/prepare.ts";
import type { TurnProgress } from "../../../../shell/ports.ts";
import type { RunEnd } from "../../../../shell/run/run-cast.ts";
import { noteQueue, saidAtLast } from "./progress.ts";
import type { NoteQueue } from "./progress.ts";

/** The casts that this process drives, and who listens to their agents. */
export interface Runs {
  /** Sets a cast going; the answer comes with its first event, or with the refusal. */
  readonly begin: (prepared: PreparedCast) => Promise<Result<string>>;
  readonly isHere: (castId: string) => boolean;
  /** Every note of the turn in hand, then each new one. */
  readonly listen: (castId: string, listener: (note: Progress) => void) => () => void;
  /** Aborts all of them and waits until that is written. */
  readonly stop: () => Promise<void>;
}

const MOST_OF_AN_ARGUMENT = 2_000;

interface Run {
  readonly controller: AbortController;
  readonly soFar: NoteQueue;
  readonly done: Promise<Result<RunEnd>>;
}

export function openRuns(report: (problem: string) => void): Runs {
  const runs = new Map<string, Run>();
  const listeners = new Map<string, Set<(note: Progress) => void>>();
  let isClosing = false;

  const begin: Runs["begin"] = async (prepared) => {
    const { castId } = prepared;
    if (isClosing) return fail(error("closing", castId, "the server is about to end"));
    const controller = new AbortController();
    const soFar = noteQueue();
    const tell = noteTeller((note) => {
      if (note.kind === "asked") soFar.clear();
      soFar.push(note);
      for (const listener of listeners.get(castId) ?? []) listener(note);
    });
    const begun = Promise.withResolvers<Result<string>>();
    const onSteps = (): void => begun.resolve(ok(castId));
    const done = prepared.run({ signal: controller.signal, onSteps, onProgress: tell });
    const run: Run = { controller, soFar, done };
    // Two commands for one cast: the second is refused by the first one's claim, and must not take its place here.
    if (!runs.has(castId)) runs.set(castId, run);
    const over = done.finally(() => {
      if (runs.get(castId) === run) runs.delete(castId);
    });
    const ended = over.then(
      (end): Result<string> => {
        if (end.ok && end.value.kind === "broken") report(`${castId}: ${end.value.problem}`);
        return end.ok ? ok(castId) : end;
      },
      (thrown: unknown): Result<string> => {
        report(`${castId}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
        return ok(castId);
      },
    );
    return Promise.race([begun.promise, ended]);
  };

  return {
    begin,
    isHere: (castId) => runs.has(castId),
    listen: (castId, listener) => {
      for (const note of runs.get(castId)?.soFar.all() ?? []) listener(note);
      const mine = listeners.get(castId) ?? new Set();
      listeners.set(castId, mine.add(listener));
      return () => {
        mine.delete(listener);
        if (mine.size === 0) listeners.delete(castId);
      };
    },
    stop: async () => {
      isClosing = true;
      const all = [...runs.values()];
      for (const { controller } of all) controller.abort();
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}

/** Progress with its place, and text with what came before it in the same turn. */
function noteTeller(tell: (note: Progress) => void): (progress: TurnProgress, state: CastState) => void {
  const before = { text: 0, thinking: 0 };
  return (progress, state) => {
    const place = placeOf(state.phase);
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
        return tell({ ...place, ...progress, args: shortened(progress.args) });
      case "tool_said":
      case "tool_ended":
        return tell({ ...place, ...progress, said: saidAtLast(progress.said) });
      case "used":
      case "retrying":
        return tell({ ...place, ...progress });
      case "tools_over":
        return undefined;
    }
  };
}

function placeOf(phase: Phase): { socket: string; visit: number } | undefined {
  return phase.kind === "visiting" ? { socket: phase.visit.socket, visit: phase.visit.number } : undefined;
}

/** A tool may be given a whole file; the transcript has all of it. */
function shortened(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, shortValue(value)]));
}

function shortValue(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MOST_OF_AN_ARGUMENT);
  const text = JSON.stringify(value) ?? "";
  return text.length > MOST_OF_AN_ARGUMENT ? cut(text, MOST_OF_AN_ARGUMENT) : value;
}
