import { recordsUsage, type CastStep } from "../../core/cast/timeline.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import type { AgentProgress } from "../../core/wire/stream.ts";
import { createProgressQueue, type ProgressQueue, createProgressReporter } from "../../shell/casting/live-progress.ts";
import type { PreparedCast } from "../../shell/casting/prepared-cast.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import type { FolderWatcher } from "../../shell/system/folder-watcher.ts";
import type { Context, Hono } from "hono";
import type * as v from "valibot";
import type { OpenAgentHost } from "../../shell/workspace/agent-hosts.ts";
import { loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import type { ConfigContext } from "../../shell/config/config.ts";
import type { FleetConnection } from "../../shell/fleet/fleet-workspace.ts";
import { refuseByCode, withBody } from "./body-and-reply.ts";

export type CastRuns = ReturnType<typeof openCastRuns>;

/** The casts that this process drives, and the listeners to their agents. */
export function openCastRuns(report: (problem: string) => void) {
  const runs = new Map<
    string,
    { readonly controller: AbortController; readonly soFar: ProgressQueue; readonly done: Promise<Result<RunOutcome>> }
  >();
  const listeners = new Map<string, Set<(note: AgentProgress) => void>>();
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
    const done = prepared.run({ signal: controller.signal, onSteps, onProgress: tell });
    const run = { controller, soFar, done };
    // The claim of the first command refuses a second one, which must not replace the first here.
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
