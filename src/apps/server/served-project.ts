import { randomUUID } from "node:crypto";
import { recordsUsage, type CastStep } from "../../core/cast/timeline.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import type { AgentProgress, OpenQuestion } from "../../core/wire/stream.ts";
import { createProgressQueue, type ProgressQueue, createProgressReporter } from "../../shell/casting/live-progress.ts";
import type { PreparedCast } from "../../shell/casting/prepared-cast.ts";
import type { AskPerson } from "../../shell/ports.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import type { FolderWatcher } from "../../shell/system/folder-watcher.ts";
import type { Context, Hono } from "hono";
import type * as v from "valibot";
import type { OpenAgentHost } from "../../shell/workspace/agent-hosts.ts";
import { loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import { changeFlag } from "./event-stream.ts";
import { refuseByCode, withBody } from "./body-and-reply.ts";

export type CastRuns = ReturnType<typeof openCastRuns>;

/** The casts that this process drives, and the listeners to their agents. */
export function openCastRuns(report: (problem: string) => void) {
  const runs = new Map<
    string,
    { readonly controller: AbortController; readonly soFar: ProgressQueue; readonly done: Promise<Result<RunOutcome>> }
  >();
  const listeners = new Map<string, Set<(note: AgentProgress) => void>>();
  const questions = openQuestions(report);
  let isClosing = false;

  /** Starts a cast; resolves with its first event or its refusal. */
  const begin = async (prepared: PreparedCast): Promise<Result<string>> => {
    const { castId } = prepared;
    if (isClosing) return failWith("server_closing", castId, "the server is stopping");
    const controller = new AbortController();
    const soFar = createProgressQueue();
    const tell = createProgressReporter((note) => {
      if (note.kind === "asked") soFar.clear();
      soFar.push(note);
      for (const listener of listeners.get(castId) ?? []) listener(note);
    });
    const begun = Promise.withResolvers<Result<string>>();
    const onSteps = (steps: readonly CastStep[]): void => {
      // Who listens from now on gets it with the event.
      if (steps.some(({ event }) => recordsUsage(event))) soFar.dropUsage();
      begun.resolve(ok(castId));
    };
    const askPerson = questions.askFor(castId);
    const done = prepared.run({ signal: controller.signal, onSteps, onProgress: tell, askPerson });
    const run = { controller, soFar, done };
    // The claim of the first command refuses a second one, which must not replace the first here.
    if (!runs.has(castId)) runs.set(castId, run);
    const over = done.finally(() => {
      if (runs.get(castId) === run) runs.delete(castId);
    });
    return Promise.race([begun.promise, reportEnd(castId, over, report)]);
  };

  return {
    begin,
    questions,
    isRunningHere: (castId: string): boolean => runs.has(castId),
    /** The progress of the current turn so far, then each new note. */
    listen: (castId: string, listener: (note: AgentProgress) => void): (() => void) => {
      for (const note of runs.get(castId)?.soFar.all() ?? []) listener(note);
      const mine = listeners.get(castId) ?? new Set();
      listeners.set(castId, mine.add(listener));
      return () => {
        mine.delete(listener);
        if (mine.size === 0) listeners.delete(castId);
      };
    },
    stop: async (): Promise<void> => {
      isClosing = true;
      const all = [...runs.values()];
      for (const { controller } of all) controller.abort();
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}

async function reportEnd(
  castId: string,
  over: Promise<Result<RunOutcome>>,
  report: (problem: string) => void,
): Promise<Result<string>> {
  try {
    const end = await over;
    if (end.ok && end.value.kind === "broken") report(`${castId}: ${end.value.problem}`);
    return end.ok ? ok(castId) : end;
  } catch (thrown) {
    report(`${castId}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return ok(castId);
  }
}

/** [YP21] The open questions of extensions. Each waits for the first answer of any page, also while no page is open. */
function openQuestions(report: (problem: string) => void) {
  const open = new Map<
    string,
    { readonly run: string; readonly question: OpenQuestion; answer: (text?: string) => void }
  >();
  const watchers = new Set<() => void>();
  const changed = (): void => watchers.forEach((watch) => watch());
  const askFor =
    (run: string): AskPerson =>
    (question, signal) => {
      const { promise, resolve: answer } = Promise.withResolvers<string | undefined>();
      const id = randomUUID();
      open.set(id, { run, question: { ...question, id }, answer });
      signal.addEventListener("abort", () => answer(undefined), { once: true });
      changed();
      report(`${question.castId}: the extension ${question.extension} asks; its cast in the page has the question`);
      return promise.finally(() => {
        open.delete(id);
        changed();
      });
    };
  return {
    askFor,
    /** The questions of a cast and of its items, at first and after every change; undefined when nothing has changed. */
    follow: (castId: string, wake: () => void) => {
      const flag = changeFlag(wake);
      watchers.add(flag.set);
      return {
        next: (): readonly OpenQuestion[] | undefined => {
          if (!flag.take()) return undefined;
          const own = [...open.values()].filter(({ run, question }) => [run, question.castId].includes(castId));
          return own.map(({ question }) => question);
        },
        close: () => void watchers.delete(flag.set),
      };
    },
    /** False if somebody else has answered it, or its turn is over. */
    answer: (id: string, text: string | null): boolean => {
      const found = open.get(id);
      found?.answer(text ?? undefined);
      return open.delete(id);
    },
  };
}

export interface LiveSources {
  readonly watch: FolderWatcher;
  readonly runs: CastRuns;
  readonly everySecond: (listener: () => void) => () => void;
}

export interface ServedProject {
  readonly place: ConfigContext;
  readonly artifacts?: string | undefined;
  /** [B26] Set when the page shows the casts of a fleet. */
  readonly fleet?: FleetConnection | undefined;
  readonly token: string;
  /** The key that a browser of this user must prove to have; null if none can be stored. */
  readonly loginKey: string | null;
  readonly port: () => number;
  readonly assets: string;
  readonly openReal: OpenAgentHost;
  readonly live: LiveSources;
  /** Reports our own faults to the person who started the server. */
  readonly report: (problem: string) => void;
}

type Answer = Response | Promise<Response>;

/** Read again for every request: files may have changed. */
function openServedWorkspace({ place, artifacts, live, fleet }: ServedProject): Result<Workspace> {
  const workspace = loadWorkspace(place, artifacts, live.watch);
  return workspace.ok && fleet ? ok(fleet.workspaceFor(workspace.value)) : workspace;
}

export function withWorkspace(served: ServedProject, route: (c: Context, workspace: Workspace) => Answer) {
  return (c: Context): Answer => {
    const workspace = openServedWorkspace(served);
    return workspace.ok ? route(c, workspace.value) : refuseByCode(c, workspace.issues);
  };
}

export function workspaceRoutes(app: Hono, served: ServedProject) {
  return {
    get: (path: string, route: (c: Context, workspace: Workspace) => Answer) =>
      app.get(path, withWorkspace(served, route)),
    post: <const T extends v.GenericSchema>(
      path: string,
      schema: T,
      route: (c: Context, workspace: Workspace, body: v.InferOutput<T>) => Answer,
    ) =>
      app.post(
        path,
        withBody(schema, (c, body) => withWorkspace(served, (_, workspace) => route(c, workspace, body))(c)),
      ),
  };
}
