import { existsSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { prepareCast } from "../../src/shell/casting/start-cast.ts";
import { prepareResume, type Resumption } from "../../src/shell/casting/resume-cast.ts";
import { loadWorkspace, type Workspace } from "../../src/shell/workspace/workspace.ts";
import type { Result } from "../../src/core/model/issue.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import type { TurnProgress } from "../../src/shell/ports.ts";
import { envOf } from "./cli.ts";

/** Where a cast is killed: after so many appends, or while that one has been written to the half, or hardly at all. */
export interface Kill {
  readonly append: number;
  readonly where: "after" | "half" | "hardly";
}

/** A cast in this process, with real files, that can be killed as a process is. */
export interface Subject {
  readonly workspace: Workspace;
  readonly rehearsal: string;
  readonly request: string;
}

export interface Life {
  /** Nothing where it was killed. */
  readonly end: RunOutcome | undefined;
  readonly appends: number;
  /** Each turn that an agent was asked for, as `socket visit`. */
  readonly asked: readonly string[];
}

export function subject(cwd: string, rehearsal: string, config?: string): Subject {
  const explicit = config === undefined ? {} : { explicitFile: config };
  const workspace = value(loadWorkspace({ cwd, env: envOf(cwd), ...explicit }));
  return { workspace, rehearsal, request: "Do what the rehearsal says" };
}

export async function begin(
  { workspace, rehearsal, request }: Subject,
  kill?: Kill,
  heard: (events: readonly CastEvent[]) => void = () => undefined,
): Promise<Life> {
  const name = workspace.catalog.settings.activeLoadout.value;
  const ready = value(
    await prepareCast(
      workspace,
      { targets: [{ kind: "loadout", name }], prompt: request },
      { rehearsal, openReal: noModel },
    ),
  );
  const runDir = join(workspace.root, ready.castId);
  return live(runDir, kill, async ({ onSteps, ...watching }) => {
    const both: WatchedRun["onSteps"] = (steps) => {
      heard(steps.map(({ event }) => event));
      onSteps(steps);
    };
    return value(await ready.run({ ...watching, onSteps: both }));
  });
}

export async function goOn({ workspace }: Subject, kill?: Kill, how: Resumption = { kind: "recast" }): Promise<Life> {
  const castId = onlyCast(workspace);
  const run = async (watching: WatchedRun): Promise<RunOutcome> => {
    const asked = { castId, how, by: "test" };
    const ready = value(await prepareResume(workspace, asked, { openReal: noModel }));
    return value(await ready.run(watching));
  };
  return live(join(workspace.root, castId), kill, run);
}

export function onlyCast({ root }: Workspace): CastId {
  const [castId, ...others] = readdirSync(root).filter((name) => name !== ".gitignore");
  if (castId === undefined || others.length > 0) throw new Error(`${root} holds ${others.length + 1} casts`);
  return castId as CastId; // the name of its folder
}

interface WatchedRun {
  readonly durability: "write";
  readonly signal: AbortSignal;
  readonly onSteps: (steps: readonly CastStep[]) => void;
  readonly onProgress: (progress: TurnProgress, state: CastState) => void;
}

const KILLED = new Error("killed");

async function live(
  runDir: string,
  kill: Kill | undefined,
  run: (watching: WatchedRun) => Promise<RunOutcome>,
): Promise<Life> {
  const asked: string[] = [];
  let appends = 0;
  const journal = join(runDir, "journal.jsonl");
  const onSteps = (steps: readonly CastStep[]): void => {
    const events = steps.map(({ event }) => event);
    appends += 1;
    if (appends !== kill?.append) return;
    // Behind its end a cast has no life to lose.
    if (kill.where === "after" && events.at(-1)?.type === "cast_ended") return;
    if (kill.where !== "after") tear(journal, events, kill.where === "half" ? 0.5 : 0.02);
    throw KILLED;
  };
  const onProgress = (progress: TurnProgress, { phase }: CastState): void => {
    if (progress.kind === "asked" && phase.kind === "visiting")
      asked.push(`${phase.visit.socket} ${phase.visit.number}`);
  };
  try {
    const end = await run({ durability: "write", signal: new AbortController().signal, onSteps, onProgress });
    return { end, appends, asked };
  } catch (thrown) {
    if (thrown !== KILLED) throw thrown;
    leaveClaim(runDir);
    return { end: undefined, appends, asked };
  }
}

/** Only a part of what was written last is there. */
function tear(journal: string, events: readonly CastEvent[], part: number): void {
  const lines = readFileSync(journal, "utf8").split(/(?<=\n)/);
  const bytes = Buffer.byteLength(lines.slice(-events.length).join(""));
  truncateSync(journal, statSync(journal).size - bytes + Math.ceil(bytes * part));
}

/** A killed process lets go of nothing: its last claim stands, and names a process that is no more. */
function leaveClaim(runDir: string): void {
  const owner = join(runDir, "owner");
  const last = readdirSync(owner).filter((name) => /^\d+\.json$/.test(name)).length;
  writeFileSync(join(owner, `${last}.json`), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "gone", host: hostname() }));
}

function noModel(): Promise<never> {
  return Promise.reject(new Error("a rehearsal needs no model"));
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.issues.map((issue) => `${issue.code}: ${issue.message}`).join("\n"));
  return result.value;
}

/** Files below a folder with their text, except those whose path matches. */
export function contents(folder: string, except: RegExp): Readonly<Record<string, string>> {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !except.test(path.slice(folder.length)))
      .toSorted()
      .map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]),
  );
}
